-- Files that overlap book nothing twice: what a file proves alone, and its rounding.
\ir fixtures/settlement.sql

INSERT INTO paystream.merchant (id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'shop');

-- Each kind that books itself, without a name, in a daily and in a weekly file.
DO $$
DECLARE
    what text;
    n int := 100;
BEGIN
    FOREACH what IN ARRAY '{payout,fee,reserveHeld,reserveReturned}'::text[] LOOP
        PERFORM pg_temp.filed(n, ARRAY[(what, 500 + n, NULL, NULL, NULL, NULL), (what, 500 + n, NULL, NULL, NULL, NULL)]::pg_temp.line[]);
        ASSERT (SELECT count(*) = 2 FROM paystream.settlement_entry WHERE kind = what), format('%s: two of one file are two', what);
        PERFORM pg_temp.filed(n + 1, ARRAY[(what, 500 + n, NULL, NULL, NULL, NULL), (what, 500 + n, NULL, NULL, NULL, '2026-11-21T12:00:00Z'),
            (what, 1, NULL, NULL, NULL, NULL)]::pg_temp.line[]);
        ASSERT (SELECT count(*) = 4 FROM paystream.settlement_entry WHERE kind = what),
            format('%s: another moment and another amount are others: %s', what, pg_temp.owed());
        ASSERT (SELECT count(*) = 1 FROM paystream.settlement_exception WHERE class = 'duplicate' AND file = pg_temp.id(n + 1) AND line = 2),
            format('%s: what was there before is in question: %s', what, pg_temp.open());
        n := n + 2;
    END LOOP;
    PERFORM pg_temp.conserved();
END
$$;

-- A payout is paid once under its name, whatever the files say that it was; a correction is no second one.
DO $$
BEGIN
    PERFORM pg_temp.filed(200, ARRAY[('payout', 1000, 'P-1', NULL, NULL, NULL)]::pg_temp.line[]);
    PERFORM pg_temp.filed(201, ARRAY[('payout', 1001, 'P-1', NULL, NULL, NULL)]::pg_temp.line[]);
    ASSERT NOT EXISTS (SELECT FROM paystream.settlement_entry WHERE file = pg_temp.id(201)), 'it is in question';
    ASSERT pg_temp.open() LIKE '%duplicate 1001 EUR 2%', pg_temp.open();
    PERFORM pg_temp.filed(202, ARRAY[('payout', 1002, 'P-1', NULL, NULL, NULL)]::pg_temp.line[], corrects => pg_temp.id(200));
    ASSERT (SELECT sum(amount) = 1002 FROM paystream.settlement_entry WHERE file IN (pg_temp.id(200), pg_temp.id(202))),
        format('what is in question itself puts nothing in question: %s', pg_temp.open());
    PERFORM pg_temp.filed(203, ARRAY[('payout', 2000, 'P-2', NULL, NULL, NULL)]::pg_temp.line[]);
    PERFORM pg_temp.filed(204, ARRAY[('payout', 2001, 'P-2', NULL, NULL, NULL)]::pg_temp.line[], corrects => pg_temp.id(203));
    ASSERT (SELECT sum(amount) = 2001 FROM paystream.settlement_entry WHERE file IN (pg_temp.id(203), pg_temp.id(204))), 'a correction';
    -- Fees of one operation are several.
    PERFORM pg_temp.filed(205, ARRAY[('fee', 10, 'op-1', NULL, NULL, NULL)]::pg_temp.line[]);
    PERFORM pg_temp.filed(206, ARRAY[('fee', 12, 'op-1', NULL, NULL, NULL)]::pg_temp.line[]);
    ASSERT (SELECT sum(amount) = 22 FROM paystream.settlement_entry WHERE file IN (pg_temp.id(205), pg_temp.id(206))), pg_temp.owed();
    PERFORM pg_temp.conserved();
END
$$;

-- Lines that are in question as duplicates are in no sum of which the rest is rounding.
CREATE FUNCTION pg_temp.rounded(n int, lines pg_temp.line[], most int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM paystream.settlement_begin(1, pg_temp.id(901), 'main', 'live', 'ecommpay', pg_temp.id(n)::text::bytea, '{}', 5, 'anna', NULL);
    PERFORM paystream.settlement_lines(1, pg_temp.id(n), 'UTC', false,
        array_agg(l.o::int + 1), array_agg(l.kind), array_agg(NULL::text), array_agg(l.amount),
        array_agg(CASE l.kind WHEN 'captured' THEN 1 ELSE -1 END), array_agg('GBP'::text), array_agg(0::bigint), array_agg(NULL::bigint),
        array_agg(l.name), array_agg(NULL::text), array_agg('2026-11-20T12:00:00Z'::timestamptz + l.o * interval '1 second'))
      FROM unnest(lines) WITH ORDINALITY AS l (kind, amount, name, fee, currency, at, o);
    PERFORM paystream.settlement_finish(1, pg_temp.id(901), pg_temp.id(n), pg_temp.id(n)::text::bytea, 1, cardinality(lines), '[]', 'UTC',
        NULL, NULL, NULL, 2, 'never', 'anna', most);
    PERFORM pg_temp.conserved(of_currency => 'GBP');
END
$$;

CREATE FUNCTION pg_temp.rounding() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', coalesce(sum(e.amount), 0), count(*)) FROM paystream.settlement_entry e WHERE e.kind = 'rounding'
$$;

DO $$
DECLARE
    item uuid;
BEGIN
    PERFORM pg_temp.move(50, 'captured', 1000, 'g-1', currency => 'GBP'), pg_temp.move(51, 'captured', 700, 'g-2', currency => 'GBP');
    PERFORM pg_temp.rounded(300, ARRAY[('captured', 1000, 'g-1', NULL, NULL, NULL), ('payout', 999, 'G-1', NULL, NULL, NULL)]::pg_temp.line[], 2);
    ASSERT pg_temp.rounding() = '1 1', pg_temp.rounding();
    -- The week's file has the day's lines again, and a payout to the cent.
    PERFORM pg_temp.rounded(301, ARRAY[('captured', 1000, 'g-1', NULL, NULL, NULL), ('payout', 999, 'G-1', NULL, NULL, NULL),
        ('captured', 700, 'g-2', NULL, NULL, NULL), ('payout', 700, 'G-2', NULL, NULL, NULL)]::pg_temp.line[], 2);
    ASSERT pg_temp.open() LIKE '%duplicate -1000 GBP 2%' AND pg_temp.open() LIKE '%duplicate 999 GBP 3%', pg_temp.open();
    ASSERT pg_temp.rounding() = '1 1', format('a cent once: %s', pg_temp.rounding());
    -- And stays so once two persons disregard them.
    FOR item IN SELECT x.id FROM paystream.settlement_exception x WHERE x.class = 'duplicate' AND x.currency = 'GBP' LOOP
        ASSERT paystream.settlement_propose(1, item, '{"is":"disregard"}', 'the week has the day again', 'anna', gen_random_uuid()) = 'ok';
        PERFORM paystream.settlement_approve(1, item, 1, 'boris', gen_random_uuid());
    END LOOP;
    ASSERT pg_temp.rounding() = '1 1', format('disregarded: %s', pg_temp.rounding());
    ASSERT (SELECT sum(e.amount) = 1699 FROM paystream.settlement_entry e WHERE e.kind = 'payout' AND e.currency = 'GBP'), pg_temp.owed();
END
$$;
