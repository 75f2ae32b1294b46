-- Accounts that are reconciled are looked at again as days pass, without a file that brings news.
ALTER TABLE paystream.settlement_account ADD COLUMN reviewed_at timestamptz;
CREATE INDEX settlement_account_reviewed ON paystream.settlement_account (reviewed_at NULLS FIRST) WHERE through IS NOT NULL;
CREATE INDEX settlement_exception_ended ON paystream.settlement_exception (merchant, ended_act) WHERE ended_act IS NOT NULL;

-- It says itself until when time is up.
DROP FUNCTION IF EXISTS paystream.settlement_review(int, uuid, uuid, timestamptz, timestamptz, int, timestamptz);
