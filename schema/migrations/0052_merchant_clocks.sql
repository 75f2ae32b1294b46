-- Clocks that merchants in test mode own: business time that stands still until somebody moves it. Machine time never
-- follows: leases, deadlines, absence proofs and lifetimes of keys stay on this server's clock.
CREATE TABLE paystream.merchant_clock (
    merchant int PRIMARY KEY REFERENCES paystream.merchant (id),
    at timestamptz NOT NULL,
    -- Where it travels to, stopping at every timer on the way; NULL while it stands.
    target timestamptz CHECK (target >= at),
    -- How often it was moved.
    steps bigint NOT NULL DEFAULT 0,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);

-- Timers of schedules that follow such a clock; they are due by it and not by the server's.
ALTER TABLE paystream.due ADD COLUMN clocked boolean NOT NULL DEFAULT false;
DROP INDEX paystream.due_business;
CREATE INDEX due_business ON paystream.due (business) WHERE business IS NOT NULL AND NOT clocked;
CREATE INDEX due_clocked ON paystream.due (merchant, business) WHERE business IS NOT NULL AND clocked;
