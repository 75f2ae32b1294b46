-- What an overview counts is counted while it is written, so that millions of payments cost it no more than thousands. How long providers took to
-- answer stands beside the other facts.

-- Until the functions are made again, in this very run, no other version of them writes.
DROP FUNCTION IF EXISTS paystream.payment_view_apply;
DROP FUNCTION IF EXISTS paystream.movement_apply;
DROP FUNCTION IF EXISTS paystream.time_to_money(int, text, date, date, text);
-- Facts are made again from the log: they tell of answers, too.
DELETE FROM paystream.checkpoint WHERE name = 'movement';
TRUNCATE paystream.movement, paystream.fact;

-- The rows of the payment view, counted by the quarter of an hour in which payments began: every zone's days begin with one.
CREATE TABLE paystream.payment_count (
    merchant int NOT NULL,
    -- When the quarter of an hour begins.
    at timestamptz NOT NULL,
    account_mode text NOT NULL,
    provider text NOT NULL,
    account_name text NOT NULL,
    -- Empty where a payment has none.
    currency text NOT NULL,
    status text NOT NULL,
    -- Why a failed payment was refused; else empty.
    decline_class text NOT NULL,
    payments bigint NOT NULL,
    -- What was asked for, in minor units.
    amount numeric NOT NULL,
    PRIMARY KEY (merchant, at, account_mode, provider, account_name, currency, status, decline_class)
) WITH (fillfactor = 50);

-- How long it took, of facts that tell it, by the hour in which they were told. An hour belongs to the day in which it begins.
CREATE TABLE paystream.delay_count (
    merchant int NOT NULL,
    at timestamptz NOT NULL,
    -- answered: a message of ours, from its licence to the provider's answer · paid: a payment, from its beginning to its first money.
    kind text NOT NULL,
    account_mode text NOT NULL,
    provider text NOT NULL,
    -- Eighths of a doubling of a millisecond: n stands for at most 2 ^ (n / 8) milliseconds.
    step smallint NOT NULL,
    cases bigint NOT NULL,
    PRIMARY KEY (merchant, kind, at, account_mode, provider, step)
) WITH (fillfactor = 50);

-- Money that moved, as reports of turnover tell it, by the quarter of an hour in which it was recorded.
CREATE TABLE paystream.money_count (
    merchant int NOT NULL,
    at timestamptz NOT NULL,
    -- Whether movements tell it; else entries of settlement do.
    is_movement boolean NOT NULL,
    -- Two files of two accounts never wait for each other.
    account uuid NOT NULL,
    account_mode text NOT NULL,
    -- captured · refunded · refundReversed · disputeLost · fee
    kind text NOT NULL,
    currency text NOT NULL,
    -- Minor units.
    amount numeric NOT NULL,
    PRIMARY KEY (merchant, at, is_movement, account, account_mode, kind, currency)
) WITH (fillfactor = 50);

-- Their bodies come with the functions of this run.
CREATE FUNCTION paystream.count_payments() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE FUNCTION paystream.count_delays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE FUNCTION paystream.count_money() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;

CREATE TRIGGER counted_insert AFTER INSERT ON paystream.payment_view REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION paystream.count_payments();
CREATE TRIGGER counted_update AFTER UPDATE ON paystream.payment_view REFERENCING OLD TABLE AS gone NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION paystream.count_payments();
CREATE TRIGGER counted_delete AFTER DELETE ON paystream.payment_view REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION paystream.count_payments();
CREATE TRIGGER counted_truncate AFTER TRUNCATE ON paystream.payment_view
    FOR EACH STATEMENT EXECUTE FUNCTION paystream.count_payments();
CREATE TRIGGER counted_insert AFTER INSERT ON paystream.fact REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION paystream.count_delays();
CREATE TRIGGER counted_delete AFTER DELETE ON paystream.fact REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION paystream.count_delays();
CREATE TRIGGER counted_truncate AFTER TRUNCATE ON paystream.fact
    FOR EACH STATEMENT EXECUTE FUNCTION paystream.count_delays();
CREATE TRIGGER counted_insert AFTER INSERT ON paystream.movement REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION paystream.count_money();
CREATE TRIGGER counted_delete AFTER DELETE ON paystream.movement REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION paystream.count_money();
CREATE TRIGGER counted_truncate AFTER TRUNCATE ON paystream.movement
    FOR EACH STATEMENT EXECUTE FUNCTION paystream.count_money();
-- What settlement books is never changed and never taken away.
CREATE TRIGGER counted_insert AFTER INSERT ON paystream.settlement_entry REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION paystream.count_money();

-- The payments and entries that there are; whoever writes one waits for this migration.
INSERT INTO paystream.payment_count
SELECT v.merchant, date_bin('15 minutes', v.created_at, '2000-01-01 00:00Z'), v.account_mode, v.provider,
       coalesce(v.document -> 'account' ->> 'name', ''), coalesce(v.currency, ''), v.status,
       CASE v.status WHEN 'failed' THEN coalesce(v.document -> 'decline' ->> 'class', 'unknown') ELSE '' END,
       count(*), coalesce(sum(v.amount), 0)
  FROM paystream.payment_view v
 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
INSERT INTO paystream.money_count
SELECT e.merchant, date_bin('15 minutes', a.at, '2000-01-01 00:00Z'), false, e.account, c.mode, e.kind, e.currency, sum(e.amount)
  FROM paystream.settlement_entry e
  JOIN paystream.settlement_act a ON a.merchant = e.merchant AND a.id = e.act
  JOIN paystream.settlement_account c ON c.merchant = e.merchant AND c.account = e.account
 WHERE e.kind IN ('captured', 'refunded', 'refundReversed', 'disputeLost', 'fee')
 GROUP BY 1, 2, 3, 4, 5, 6, 7;

-- When an endpoint last had an event, and when it last failed.
CREATE INDEX webhook_attempt_newest ON paystream.webhook_attempt (merchant, endpoint, (num_nulls(failure)), at);

COMMENT ON COLUMN reporting.facts.fact IS
    'Of a payment: tried, challenged, approved, refused, ended, paid, uncertain, certain, answered; of a schedule: began, over, due, declined, collected, lost, skipped.';
COMMENT ON COLUMN reporting.facts.seconds IS
    'Since the payment''s first operation was asked for; of answered, since the message was licensed.';
