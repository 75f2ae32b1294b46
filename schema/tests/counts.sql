-- What is counted while it is written is what counting the rows would give, whoever writes, changes or takes them away.
\ir fixtures/units.sql

INSERT INTO paystream.merchant (id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'shop');

CREATE FUNCTION pg_temp.pay(n int, at timestamptz, status text, amount bigint, decline text DEFAULT NULL, version int DEFAULT 1)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO paystream.payment_view AS v (merchant, id, version, pos, status, currency, amount, account, account_mode, needs_operator,
        has_obligations, created_at, updated_at, document, kind, disputed, provider, captured, refunded, transferred, held, in_dispute,
        charged_back, method)
    VALUES (1, pg_temp.id(n), version, n, status, CASE WHEN amount IS NOT NULL THEN 'EUR' END, amount, pg_temp.id(900), 'live', false, false,
        at, at, json_build_object('account', json_build_object('name', 'main'), 'decline', json_build_object('class', decline)), 1, false,
        'ecommpay', 0, 0, 0, 0, 0, 0, 'hosted')
    ON CONFLICT (merchant, id) DO UPDATE SET status = EXCLUDED.status, version = EXCLUDED.version, document = EXCLUDED.document
     WHERE v.version < EXCLUDED.version
$$;

CREATE FUNCTION pg_temp.hold(moment text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    counted text;
    there text;
BEGIN
    SELECT string_agg(concat_ws(' ', c.at, c.status, c.decline_class, c.currency, c.payments, c.amount), ',' ORDER BY c.at, c.status,
                      c.decline_class, c.currency)
      INTO counted FROM paystream.payment_count c WHERE c.payments <> 0;
    SELECT string_agg(concat_ws(' ', r.at, r.status, r.class, r.currency, r.payments, r.amount), ',' ORDER BY r.at, r.status, r.class, r.currency)
      INTO there
      FROM (SELECT date_bin('15 minutes', v.created_at, '2000-01-01 00:00Z') AS at, v.status,
                   CASE v.status WHEN 'failed' THEN v.document -> 'decline' ->> 'class' ELSE '' END AS class, coalesce(v.currency, '') AS currency,
                   count(*) AS payments, coalesce(sum(v.amount), 0) AS amount
              FROM paystream.payment_view v GROUP BY 1, 2, 3, 4) r;
    ASSERT counted IS NOT DISTINCT FROM there, format('%s: %s, not %s', moment, counted, there);
END
$$;

SELECT pg_temp.pay(1, '2026-11-20T21:59:59Z', 'created', 9223372036854775807);
SELECT pg_temp.pay(2, '2026-11-20T21:46:00Z', 'created', 9223372036854775807);
SELECT pg_temp.pay(3, '2026-11-20T22:00:00Z', 'requiresAction', 5);
SELECT pg_temp.pay(4, '2026-11-20T22:00:00Z', 'verified', NULL);
-- A day of Kyiv begins two hours earlier.
SELECT pg_temp.pay(5, '2026-11-19T22:30:00Z', 'captured', 1);
SELECT pg_temp.hold('written');
SELECT pg_temp.pay(1, '2026-11-20T21:59:59Z', 'captured', 9223372036854775807, version => 2);
SELECT pg_temp.pay(3, '2026-11-20T22:00:00Z', 'failed', 5, 'fraud', 2);
SELECT pg_temp.hold('changed');
-- A late writer changes nothing.
SELECT pg_temp.pay(3, '2026-11-20T22:00:00Z', 'created', 5, version => 1);
SELECT pg_temp.pay(3, '2026-11-20T22:00:00Z', 'failed', 5, 'hard', 3);
SELECT pg_temp.hold('a late writer, and another reason');
UPDATE paystream.payment_view SET reference = 'x';
SELECT pg_temp.hold('what is not counted');
DELETE FROM paystream.payment_view WHERE id = pg_temp.id(2);
SELECT pg_temp.hold('taken away');

DO $$
DECLARE
    told text;
BEGIN
    SELECT string_agg(concat_ws(' ', t.day, t.provider, t.account, t.status, t.decline, t.payments, t.amount), ',') INTO told
      FROM paystream.payment_activity(1, 'Europe/Kyiv', '2026-11-20', '2026-11-22', 'live') t;
    ASSERT told = '2026-11-20 ecommpay main captured 2 9223372036854775808,2026-11-21 ecommpay main failed hard 1 5,'
        || '2026-11-21 ecommpay main verified 1 0', told;
    ASSERT (SELECT count(*) FROM paystream.payment_activity(1, 'UTC', '2026-11-21', '2026-11-22', NULL)) = 0;
    ASSERT (SELECT count(*) FROM paystream.payment_activity(1, 'UTC', '2026-11-20', '2026-11-21', 'test')) = 0;
    ASSERT (SELECT count(*) FROM paystream.payment_activity(2, 'UTC', '2026-11-20', '2026-11-21', NULL)) = 0;
END
$$;
TRUNCATE paystream.payment_view;
SELECT pg_temp.hold('emptied');

-- How long it took.
CREATE FUNCTION pg_temp.fact(n int, kind text, at timestamptz, delay bigint, provider text DEFAULT 'ecommpay', is_first boolean DEFAULT true)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO paystream.fact (merchant, stream, version, number, stream_kind, pos, known_at, kind, is_first, is_payments_first, is_late, items,
        delay, account, account_name, account_mode, provider)
    VALUES (1, pg_temp.id(n), n, 0, 1, n, at, kind, true, is_first, false, 1, delay, pg_temp.id(900), 'main', 'live', provider)
    ON CONFLICT DO NOTHING
$$;

-- Nineteen at a tenth of a second, one at ten; the same fact once more tells nothing.
SELECT pg_temp.fact(n, 'answered', '2026-11-20T10:00:00Z', 100000) FROM generate_series(1, 19) n;
SELECT pg_temp.fact(20, 'answered', '2026-11-20T10:20:00Z', 10000000);
SELECT pg_temp.fact(20, 'answered', '2026-11-20T10:20:00Z', 10000000);
SELECT pg_temp.fact(21, 'answered', '2026-11-21T10:00:00Z', 0, 'dolyame');
SELECT pg_temp.fact(22, 'approved', '2026-11-20T10:00:00Z', 2000000);
SELECT pg_temp.fact(23, 'approved', '2026-11-20T10:00:00Z', 4000000, is_first => false);
SELECT pg_temp.fact(24, 'tried', '2026-11-20T10:00:00Z', 4000000);

DO $$
DECLARE
    told text;
BEGIN
    SELECT string_agg(concat_ws(' ', d.day, d.provider, d.cases, d.median, d.most), ',') INTO told
      FROM paystream.delays(1, 'UTC', '2026-11-20', '2026-11-22', 'live', 'answered', true) d;
    ASSERT told = '2026-11-20 ecommpay 20 108 108,2026-11-21 dolyame 1 1 1', told;
    SELECT string_agg(concat_ws(' ', d.provider, d.cases, d.median, d.most), ',') INTO told
      FROM paystream.delays(1, 'UTC', '2026-11-20', '2026-11-22', NULL, 'paid', false) d;
    ASSERT told = 'ecommpay 1 2048 2048', told;
    -- At most a tenth more than it was, and never less.
    ASSERT (SELECT bool_and(round(2::float8 ^ (paystream.delay_step(ms * 1000) / 8::float8)) BETWEEN ms AND ms * 1.1 + 1)
              FROM generate_series(1::bigint, 100000, 7) ms);
    DELETE FROM paystream.fact WHERE version = 20;
    SELECT string_agg(concat_ws(' ', d.provider, d.cases, d.most), ',') INTO told
      FROM paystream.delays(1, 'UTC', '2026-11-20', '2026-11-22', 'live', 'answered', false) d;
    ASSERT told = 'dolyame 1 1,ecommpay 19 108', told;
END
$$;
TRUNCATE paystream.fact;
DO $$ BEGIN ASSERT NOT EXISTS (SELECT FROM paystream.delay_count); END $$;

-- The money of the overview is the money of the report.
CREATE FUNCTION pg_temp.move(n int, what text, at timestamptz, amount bigint, mode text DEFAULT 'live') RETURNS void LANGUAGE sql AS $$
    INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency, items, effective_at,
        known_at, account, account_name, account_mode, provider, evidence, commanded, cause)
    VALUES (1, pg_temp.id(n), n, 0, 1, n, what, amount, 'EUR', 1, at, at, pg_temp.id(900), 'main', mode, 'ecommpay', 'provider', true,
        pg_temp.id(n))
    ON CONFLICT DO NOTHING
$$;
SELECT pg_temp.move(1, 'captured', '2026-11-20T21:59:59Z', 9223372036854775807);
SELECT pg_temp.move(2, 'captured', '2026-11-20T21:59:59Z', 9223372036854775807);
SELECT pg_temp.move(2, 'captured', '2026-11-20T21:59:59Z', 9223372036854775807);
SELECT pg_temp.move(3, 'refunded', '2026-11-20T22:00:00Z', 7);
SELECT pg_temp.move(4, 'refundReversed', '2026-11-20T22:00:00Z', 2);
SELECT pg_temp.move(5, 'disputeLost', '2026-11-20T22:00:00Z', 3);
SELECT pg_temp.move(6, 'fee', '2026-11-20T22:00:00Z', 1);
SELECT pg_temp.move(7, 'authorised', '2026-11-20T22:00:00Z', 100);
SELECT pg_temp.move(8, 'captured', '2026-11-20T22:00:00Z', 100, 'test');
DO $$
DECLARE
    told text;
    reported text;
BEGIN
    SELECT string_agg(concat_ws(' ', t.day, t.currency, t.captured, t.refunded, t.charged_back, t.fees, t.net), ',') INTO told
      FROM paystream.money_activity(1, 'Europe/Kyiv', '2026-11-20', '2026-11-22', 'live') t;
    SELECT string_agg(concat_ws(' ', t.day, t.currency, t.captured, t.refunded, t.charged_back, t.fees, t.net), ',') INTO reported
      FROM paystream.report_turnover(1, 'Europe/Kyiv', '2026-11-20', '2026-11-22', 'live') t;
    ASSERT told = '2026-11-20 EUR 18446744073709551614 0 0 0 18446744073709551614,2026-11-21 EUR 0 5 3 1 -9', told;
    ASSERT told = reported, format('%s, not %s', told, reported);
    DELETE FROM paystream.movement WHERE version = 6;
    ASSERT (SELECT fees FROM paystream.money_activity(1, 'UTC', '2026-11-20', '2026-11-21', 'live')) = 0;
END
$$;
TRUNCATE paystream.movement;
DO $$ BEGIN ASSERT NOT EXISTS (SELECT FROM paystream.money_count); END $$;

-- What settlement books is counted at the time of its act, whenever it was written.
INSERT INTO paystream.settlement_account (merchant, account, name, mode, provider) VALUES (1, pg_temp.id(900), 'main', 'live', 'ecommpay');
INSERT INTO paystream.settlement_entry (merchant, account, kind, amount, currency, effective_at, act)
VALUES (1, pg_temp.id(900), 'fee', 5, 'EUR', '2026-11-19T10:00:00Z', pg_temp.id(1)), (1, pg_temp.id(900), 'payout', 50, 'EUR', '2026-11-19T10:00:00Z', pg_temp.id(1));
INSERT INTO paystream.settlement_act (merchant, id, pos, at, actor, what) VALUES (1, pg_temp.id(1), 1, '2026-11-20T22:00:00Z', 'anna', 'import');
DO $$
DECLARE
    told text;
    reported text;
BEGIN
    SELECT string_agg(concat_ws(' ', t.day, t.currency, t.fees, t.net), ',') INTO told
      FROM paystream.money_activity(1, 'Europe/Kyiv', '2026-11-01', '2026-12-01', 'live') t;
    SELECT string_agg(concat_ws(' ', t.day, t.currency, t.fees, t.net), ',') INTO reported
      FROM paystream.report_turnover(1, 'Europe/Kyiv', '2026-11-01', '2026-12-01', 'live') t;
    ASSERT told = '2026-11-21 EUR 5 -5', told;
    ASSERT told = reported, format('%s, not %s', told, reported);
END
$$;
