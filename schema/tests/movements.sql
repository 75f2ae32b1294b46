-- Turnover is what moved on a day; a day that is over stays as it was, and no sum is too long.
\ir fixtures/units.sql

INSERT INTO paystream.merchant (id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'shop');

CREATE FUNCTION pg_temp.move(
    n int, what text, at timestamptz, amount bigint, mode text DEFAULT 'live', kind int DEFAULT 1)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO paystream.payment_movement (merchant, payment, version, what, at, amount, currency, kind, account,
        account_mode, provider)
    VALUES (1, pg_temp.id(n), n, what, at, amount, 'EUR', kind, pg_temp.id(900), mode, 'ecommpay')
$$;

CREATE FUNCTION pg_temp.told(of_zone text, of_mode text DEFAULT 'live', first_day date DEFAULT NULL, end_day date DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', t.day, t.kind, t.mode, t.captured, t.refunded, t.charged_back, t.transferred, t.claimed), ',')
      FROM paystream.turnover(1, of_zone, first_day, end_day, of_mode) t
$$;

-- Two of the longest amounts on one evening, of which one is the next day's already in Kyiv.
SELECT pg_temp.move(1, 'captured', '2026-11-20T21:59:59.999999Z', 9223372036854775807);
SELECT pg_temp.move(2, 'captured', '2026-11-20T22:00:00Z', 9223372036854775807);
SELECT pg_temp.move(3, 'captured', '2026-11-20T12:00:00Z', 7, mode => 'test');
SELECT pg_temp.move(4, 'transferred', '2026-11-20T12:00:00Z', 11, kind => 7);
INSERT INTO paystream.bill_movement (merchant, chunk, version, what, at, amount, currency, bills, batch, account,
    account_mode, provider)
SELECT 1, pg_temp.id(5), 1, w, '2026-11-20T12:00:00Z', 9223372036854775807, 'UAH', 2, pg_temp.id(6), pg_temp.id(900),
       'live', 'portmone' FROM unnest('{captured,claimed}'::text[]) w;

DO $$
DECLARE
    unknown text;
    bill CONSTANT text := '2026-11-20 bill live 9223372036854775807 0 0 0 9223372036854775807';
    transfer CONSTANT text := '2026-11-20 transfer live 0 0 0 11 0';
    closed CONSTANT text :=
        bill || ',2026-11-20 payment live 18446744073709551614 0 0 0 0,' || transfer;
BEGIN
    ASSERT pg_temp.told(NULL) = closed, format('the merchant''s zone is UTC: %s', pg_temp.told(NULL));
    ASSERT pg_temp.told('Europe/Kyiv') = bill || ',2026-11-20 payment live 9223372036854775807 0 0 0 0,' || transfer
        || ',2026-11-21 payment live 9223372036854775807 0 0 0 0', format('in Kyiv: %s', pg_temp.told('Europe/Kyiv'));
    ASSERT pg_temp.told('Europe/Kyiv', 'live', '2026-11-21') = '2026-11-21 payment live 9223372036854775807 0 0 0 0',
        'days are bounded where they begin';
    ASSERT pg_temp.told(NULL, 'test') = '2026-11-20 payment test 7 0 0 0 0', 'a mode is asked for';
    ASSERT array_length(string_to_array(pg_temp.told(NULL, NULL), ','), 1) = 4, 'or every one';
    -- A refund, a lost dispute and a correction of tomorrow are tomorrow's.
    PERFORM pg_temp.move(7, 'refunded', '2026-11-21T10:00:00Z', 500), pg_temp.move(8, 'chargedBack', '2026-11-21T10:00:00Z', 1),
        pg_temp.move(9, 'captured', '2026-11-21T10:00:00Z', -3);
    ASSERT pg_temp.told(NULL) = closed || ',2026-11-21 payment live -3 500 1 0 0', format('got %s', pg_temp.told(NULL));
    UPDATE paystream.merchant SET zone = 'Europe/Kyiv' WHERE id = 1;
    ASSERT pg_temp.told(NULL) = pg_temp.told('Europe/Kyiv'), 'nobody asked for another zone';
    FOREACH unknown IN ARRAY '{Europe/Nowhere,UTC+3,MSK,<x>-3}'::text[] LOOP
        BEGIN
            PERFORM paystream.turnover(1, unknown, of_mode => 'none');
            ASSERT false, format('%s is no zone of the database', unknown);
        EXCEPTION WHEN invalid_parameter_value THEN NULL;
        END;
        BEGIN
            PERFORM paystream.turnover_complete(1, unknown);
            ASSERT false, format('%s is no zone of the database', unknown);
        EXCEPTION WHEN invalid_parameter_value THEN NULL;
        END;
    END LOOP;
END
$$;

-- Sums are all that moved up to the first day of which something is not read, or of which a stream was set aside.
DO $$
DECLARE
    told record;
BEGIN
    SELECT * INTO told FROM paystream.turnover_complete(1, 'UTC');
    ASSERT told.open_day = (statement_timestamp() AT TIME ZONE 'UTC')::date AND told.aside = 0, 'today is not over';
    INSERT INTO paystream.event (pos, at, merchant, ver, stream_kind, stream, cause, type, data)
    SELECT n, '2026-11-20T22:30:00Z', 1, 1, k, pg_temp.id(n), pg_temp.id(n), 'made', '{}'
      FROM unnest('{1,2,3}'::int[], '{1,6,2}'::int[]) AS u (n, k);
    INSERT INTO paystream.checkpoint (name, version, pos) VALUES ('payment_view', 1, 9), ('payment_view', 2, 0), ('bill_view', 1, 2);
    ASSERT (SELECT open_day = '2026-11-20' FROM paystream.turnover_complete(1, 'UTC')), 'nobody has read it yet';
    ASSERT (SELECT open_day = '2026-11-21' FROM paystream.turnover_complete(1)), 'by the merchant''s own days';
    UPDATE paystream.checkpoint SET pos = 1 WHERE name = 'bill_view' OR version = 2;
    ASSERT (SELECT open_day = '2026-11-20' FROM paystream.turnover_complete(1, 'UTC')), 'bills count, too';
    UPDATE paystream.checkpoint SET pos = 3;
    ASSERT (SELECT open_day > '2026-11-21' FROM paystream.turnover_complete(1, 'UTC')), 'all is read';
    INSERT INTO paystream.view_quarantine (view, merchant, stream, stream_kind, pos, reason)
    VALUES ('payment_view', 1, pg_temp.id(1), 1, 3, 'test'), ('schedule_view', 1, pg_temp.id(2), 3, 3, 'test');
    ASSERT (SELECT (open_day, aside) = ('2026-11-20', 1) FROM paystream.turnover_complete(1, 'UTC')), 'but for one stream';
    ASSERT (SELECT aside = 0 FROM paystream.turnover_complete(2, 'UTC')), 'which is another merchant''s matter';
END
$$;
