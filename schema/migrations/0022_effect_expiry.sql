-- Windows that closed are found without a look at those that are open: `expired_effects` walks this index from its end.
CREATE INDEX effect_expiry ON paystream.effect (send_before) WHERE state < 2;
