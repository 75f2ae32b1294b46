-- Claims go round the accounts, and the SQL entrance goes round the merchants: each walks from one to the next by its index,
-- however much one of them has waiting.
DROP INDEX paystream.effect_ready;
CREATE INDEX effect_ready ON paystream.effect (account, not_before) WHERE state = 0;
CREATE INDEX inbox_merchant ON paystream.inbox (merchant, seq);
-- Both take more arguments than before.
DROP FUNCTION IF EXISTS paystream.claim_effects(text, bigint);
DROP FUNCTION IF EXISTS paystream.take_inbox(int);
