-- A payout that differs from its lines by no more than the mapping lets it is rounding; anything else stays owed.
\ir fixtures/settlement.sql

INSERT INTO paystream.merchant (id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'shop');

-- Brings a file again with so much rounding, as the mapping of the account would say.
CREATE FUNCTION pg_temp.rounded(n int, lines pg_temp.line[], most int, corrects uuid DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    kept CONSTANT uuid := pg_temp.id(n);
BEGIN
    PERFORM paystream.settlement_begin(1, pg_temp.id(901), 'main', 'live', 'ecommpay', pg_temp.id(n)::text::bytea, '{}', 5, 'anna', corrects);
    PERFORM paystream.settlement_lines(1, kept, 'UTC', false,
        array_agg(l.o::int + 1), array_agg(l.kind), array_agg(NULL::text), array_agg(l.amount),
        array_agg(CASE l.kind WHEN 'captured' THEN 1 ELSE -1 END), array_agg(coalesce(l.currency, 'EUR')), array_agg(coalesce(l.fee, 0)),
        array_agg(NULL::bigint), array_agg(l.name), array_agg(NULL::text), array_agg(coalesce(l.at, '2026-11-20T12:00:00Z')))
      FROM unnest(lines) WITH ORDINALITY AS l (kind, amount, name, fee, currency, at, o);
    PERFORM paystream.settlement_finish(1, pg_temp.id(901), kept, pg_temp.id(n)::text::bytea, 1, cardinality(lines), '[]', 'UTC',
        NULL, NULL, corrects, 2, 'never', 'anna', most);
    PERFORM pg_temp.conserved();
END
$$;

CREATE FUNCTION pg_temp.file(payout bigint, more bigint DEFAULT 0) RETURNS pg_temp.line[] LANGUAGE sql AS $$
    SELECT ARRAY[('captured', 1000, 'a', 33, NULL, NULL), ('captured', 1000 + more, 'b', 33, NULL, NULL),
                 ('payout', payout, 'p', NULL, NULL, NULL), ('captured', 7, 'c', NULL, 'USD', NULL)]::pg_temp.line[]
$$;

CREATE FUNCTION pg_temp.rounding() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', coalesce(sum(b.amount), 0), count(*)) FROM paystream.booked b WHERE b.kind = 'rounding'
$$;

DO $$
DECLARE
    place bigint;
BEGIN
    PERFORM pg_temp.move(1, 'captured', 1000, 'a'), pg_temp.move(2, 'captured', 1000, 'b'), pg_temp.move(3, 'captured', 7, 'c', currency => 'USD');
    -- Lines come to 1934.
    PERFORM pg_temp.rounded(100, pg_temp.file(1933), 0);
    ASSERT pg_temp.rounding() = '0 0', 'nothing says that it may be';
    ASSERT pg_temp.owed() LIKE '%provider 1', pg_temp.owed();
    place := paystream.horizon();
    PERFORM pg_temp.rounded(101, pg_temp.file(1932), 2, pg_temp.id(100));
    ASSERT pg_temp.rounding() = '2 1', pg_temp.rounding();
    ASSERT pg_temp.owed() = 'bank 1932, customers -2000, fees 66, rounding 2', pg_temp.owed();
    ASSERT (SELECT (r.rounding, r.closing) = (2::numeric, 0::numeric) FROM paystream.report_settlement(1) r WHERE r.currency = 'EUR'
             ORDER BY r.day DESC LIMIT 1), 'nobody owes it';
    ASSERT (SELECT sum(r.rounding) = 0 FROM paystream.report_settlement(1, as_of => place) r), 'as it was known then';
    -- Another currency has no payout, and a larger difference is none of rounding.
    ASSERT NOT EXISTS (SELECT FROM paystream.booked b WHERE b.kind = 'rounding' AND b.currency = 'USD');
    PERFORM pg_temp.rounded(102, pg_temp.file(1931), 2, pg_temp.id(101));
    ASSERT pg_temp.rounding() LIKE '0 %', 'what was booked is taken back';
    ASSERT pg_temp.owed() LIKE '%provider 3', pg_temp.owed();
    -- More than was due, and then to the cent.
    PERFORM pg_temp.rounded(103, pg_temp.file(1935), 2, pg_temp.id(102));
    ASSERT pg_temp.rounding() LIKE '-1 %' AND pg_temp.owed() NOT LIKE '%provider%', pg_temp.owed();
    PERFORM pg_temp.rounded(104, pg_temp.file(1934), 2, pg_temp.id(103));
    ASSERT pg_temp.rounding() LIKE '0 %' AND pg_temp.owed() NOT LIKE '%provider%', pg_temp.owed();
    -- The payout stays, and a line of its file changes.
    PERFORM pg_temp.rounded(105, pg_temp.file(1934, 1), 2, pg_temp.id(104));
    ASSERT pg_temp.rounding() LIKE '1 %', pg_temp.rounding();
    PERFORM pg_temp.rounded(106, pg_temp.file(1934), 2, pg_temp.id(105));
    ASSERT pg_temp.rounding() LIKE '0 %', pg_temp.rounding();
END
$$;
