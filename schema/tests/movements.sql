-- Turnover is what moved on a day; a day that is over stays as it was, and no sum is too long.
\ir fixtures/units.sql

INSERT INTO paystream.merchant (id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'shop');

CREATE FUNCTION pg_temp.move(
    n int, what text, at timestamptz, amount bigint, mode text DEFAULT 'live', stream_kind int DEFAULT 1, pos bigint DEFAULT 1,
    effective timestamptz DEFAULT NULL, currency text DEFAULT 'EUR')
RETURNS void LANGUAGE sql AS $$
    INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency, items, effective_at,
        known_at, account, account_name, account_mode, provider, evidence, commanded, cause)
    VALUES (1, pg_temp.id(n), n, 0, stream_kind, pos, what, amount, currency, 1, coalesce(effective, at), at, pg_temp.id(900), 'main', mode,
        'ecommpay', 'provider', true, pg_temp.id(n))
$$;

CREATE FUNCTION pg_temp.told(of_zone text, of_mode text DEFAULT 'live', first_day date DEFAULT NULL, end_day date DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', t.day, t.kind, t.mode, t.captured, t.refunded, t.charged_back, t.transferred, t.claimed), ',')
      FROM paystream.report_turnover(1, of_zone, first_day, end_day, of_mode) t
$$;

-- Two of the longest amounts on one evening, of which one is the next day's already in Kyiv.
SELECT pg_temp.move(1, 'captured', '2026-11-20T21:59:59.999999Z', 9223372036854775807);
SELECT pg_temp.move(2, 'captured', '2026-11-20T22:00:00Z', 9223372036854775807);
SELECT pg_temp.move(3, 'captured', '2026-11-20T12:00:00Z', 7, mode => 'test');
SELECT pg_temp.move(4, 'transferred', '2026-11-20T12:00:00Z', 11, stream_kind => 7);
SELECT pg_temp.move(5, 'captured', '2026-11-20T12:00:00Z', 9223372036854775807, stream_kind => 6, currency => 'UAH');
SELECT pg_temp.move(6, 'claimed', '2026-11-20T12:00:00Z', 9223372036854775807, stream_kind => 6, currency => 'UAH');

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
    PERFORM pg_temp.move(7, 'refunded', '2026-11-21T10:00:00Z', 500), pg_temp.move(8, 'disputeLost', '2026-11-21T10:00:00Z', 1),
        pg_temp.move(9, 'captured', '2026-11-21T10:00:00Z', -3),
        pg_temp.move(10, 'refundReversed', '2026-11-21T10:00:00Z', 20, pos => 7, effective => '2026-11-19T10:00:00Z');
    ASSERT pg_temp.told(NULL) = closed || ',2026-11-21 payment live -3 480 1 0 0', format('got %s', pg_temp.told(NULL));
    ASSERT (SELECT refunded = 500 FROM paystream.report_turnover(1, first_day => '2026-11-21', as_of => 6)), 'as it was known then';
    ASSERT (SELECT (day, refunded) = ('2026-11-19'::date, -20::numeric) FROM paystream.report_turnover(1, by_effective => true) LIMIT 1),
        'on the provider''s day';
    UPDATE paystream.merchant SET zone = 'Europe/Kyiv' WHERE id = 1;
    ASSERT pg_temp.told(NULL) = pg_temp.told('Europe/Kyiv'), 'nobody asked for another zone';
    FOREACH unknown IN ARRAY '{Europe/Nowhere,UTC+3,MSK,<x>-3}'::text[] LOOP
        BEGIN
            PERFORM paystream.report_turnover(1, unknown, of_mode => 'none');
            ASSERT false, format('%s is no zone of the database', unknown);
        EXCEPTION WHEN invalid_parameter_value THEN NULL;
        END;
        BEGIN
            PERFORM paystream.books_standing(1, unknown, 0);
            ASSERT false, format('%s is no zone of the database', unknown);
        EXCEPTION WHEN invalid_parameter_value THEN NULL;
        END;
    END LOOP;
END
$$;

-- Days before that of the newest event are over, but for those of a stream that was set aside.
DO $$
DECLARE
    told record;
BEGIN
    SELECT * INTO told FROM paystream.books_standing(1, 'UTC', 9);
    ASSERT told.open_day IS NULL AND told.aside = 0, 'nothing is known of an empty log';
    INSERT INTO paystream.event (pos, at, merchant, ver, stream_kind, stream, cause, type, data)
    SELECT n, '2026-11-18T22:30:00Z'::timestamptz + n * interval '1 day', 1, 1, k, pg_temp.id(n), pg_temp.id(n), 'made', '{}'
      FROM unnest('{1,2,3}'::int[], '{1,6,2}'::int[]) AS u (n, k);
    ASSERT (SELECT open_day = '2026-11-20' FROM paystream.books_standing(1, 'UTC', 2)), 'as of a position';
    ASSERT (SELECT open_day = '2026-11-21' FROM paystream.books_standing(1, NULL, 2)), 'by the merchant''s own days';
    ASSERT (SELECT open_day = '2026-11-21' FROM paystream.books_standing(1, 'UTC', 9)), 'and later';
    INSERT INTO paystream.view_quarantine (view, merchant, stream, stream_kind, pos, reason)
    VALUES ('movement', 1, pg_temp.id(1), 1, 3, 'test'), ('schedule_view', 1, pg_temp.id(2), 3, 3, 'test');
    ASSERT (SELECT (open_day, aside) = ('2026-11-19', 1) FROM paystream.books_standing(1, 'UTC', 9)), 'but for one stream';
    ASSERT (SELECT aside = 0 FROM paystream.books_standing(2, 'UTC', 9)), 'which is another merchant''s matter';
END
$$;

-- Whatever moves, every entry's lines sum to zero, and every kind but claims and the payer's commission is in the books.
DO $$
BEGIN
    ASSERT NOT EXISTS (SELECT FROM paystream.posting_rule r GROUP BY r.movement HAVING sum(r.side) <> 0), 'every rule is balanced';
    ASSERT NOT EXISTS (
        SELECT FROM paystream.postings p GROUP BY p.position, p.id, p.number, p.currency HAVING sum(p.amount) <> 0),
        'and so is every entry';
    ASSERT (SELECT count(*) FROM paystream.postings) = 2 * (SELECT count(*) FROM paystream.movement WHERE kind <> 'claimed'),
        'a claim is in no account';
END
$$;

-- The books' position is just before the first event that they wait for, and never goes back: what an idle stretch of the log let it come to, it keeps.
DO $$
BEGIN
    PERFORM setval('paystream.pos_seq', 801);
    INSERT INTO paystream.checkpoint (name, version, pos) VALUES ('movement', 2, 500);
    ASSERT paystream.books_position() = 801, 'nothing moves up to the end of the log';
    INSERT INTO paystream.event (pos, at, merchant, ver, stream_kind, stream, cause, type, data)
    SELECT n, '2026-11-22T10:00:00Z', 1, n, k, pg_temp.id(n), pg_temp.id(n), 'made', '{}' FROM unnest('{802,803,805}'::int[], '{2,1,6}'::int[]) AS u (n, k);
    PERFORM setval('paystream.pos_seq', 806);
    ASSERT paystream.books_position() = 802, format('the first event that moves: %s', paystream.books_position());
    UPDATE paystream.checkpoint SET pos = 803 WHERE name = 'movement';
    ASSERT paystream.books_position() = 804, format('and the next: %s', paystream.books_position());
    UPDATE paystream.checkpoint SET pos = 805 WHERE name = 'movement';
    ASSERT paystream.books_position() = 806, 'all is followed';
END
$$;
