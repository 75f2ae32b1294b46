-- What a file got wrong is set right by its correction, and nothing of it stays behind.
\ir fixtures/settlement.sql

INSERT INTO paystream.merchant (id, name) OVERRIDING SYSTEM VALUE
VALUES (1, 'days'), (2, 'to come'), (3, 'tariff'), (4, 'late'), (5, 'mappings'), (6, 'alike'), (7, 'zone'), (8, 'rounding'), (9, 'currencies'), (10, 'twice'),
    (11, 'adjusted'), (12, 'places'), (13, 'periods'), (14, 'once'), (15, 'single'), (16, 'back');

-- Brings lines by another tariff, or with rounding.
CREATE FUNCTION pg_temp.priced(
    n int, lines pg_temp.line[], tariff bigint, corrects uuid DEFAULT NULL, of_merchant int DEFAULT 1, rounding int DEFAULT 0)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    begun record;
BEGIN
    SELECT * INTO begun FROM paystream.settlement_begin(of_merchant, pg_temp.id(900 + of_merchant), 'main', 'live', 'ecommpay', convert_to(lines::text, 'UTF8'),
        json_build_object('tariff', tariff, 'rounding', rounding), 5, 'anna', corrects);
    PERFORM paystream.settlement_lines(of_merchant, pg_temp.id(n), 'UTC', false,
        array_agg(l.o::int + 1), array_agg(l.kind), array_agg(NULL::text), array_agg(l.amount),
        array_agg(CASE l.kind WHEN 'captured' THEN 1 ELSE -1 END), array_agg('EUR'::text), array_agg(coalesce(l.fee, 0)),
        array_agg(CASE l.kind WHEN 'captured' THEN tariff END), array_agg(l.name), array_agg(NULL::text),
        array_agg(coalesce(l.at, '2026-11-20T12:00:00Z')))
      FROM unnest(lines) WITH ORDINALITY AS l (kind, amount, name, fee, currency, at, o);
    PERFORM paystream.settlement_finish(of_merchant, pg_temp.id(900 + of_merchant), pg_temp.id(n), convert_to(lines::text, 'UTF8'), begun.mapping,
        cardinality(lines), '[]', 'UTC', NULL, NULL, corrects, 2, 'never', 'anna', rounding);
    PERFORM pg_temp.conserved(of_merchant => of_merchant);
END
$$;

-- A wrong day makes movements overdue that nobody was to tell of; with it they are.
DO $$
BEGIN
    PERFORM pg_temp.move(1, 'captured', 100, 'a'), pg_temp.move(2, 'captured', 200, 'b', at => '2026-10-01T10:00:00Z'),
        pg_temp.move(3, 'captured', 300, 'c', at => '2026-11-23T10:00:00Z');
    PERFORM pg_temp.filed(100, ARRAY[('captured', 100, 'a', NULL, NULL, NULL), ('captured', 7, 'x', NULL, NULL, '2026-09-20T12:00:00Z'),
        ('captured', 8, 'y', NULL, NULL, '2026-11-24T12:00:00Z')]::pg_temp.line[]);
    ASSERT pg_temp.open() = 'missingHere -8 EUR 4, missingHere -7 EUR 3, missingThere 200 EUR b, timing 300 EUR c', pg_temp.open();
    PERFORM pg_temp.conserved();
    PERFORM pg_temp.filed(101, ARRAY[('captured', 100, 'a', NULL, NULL, NULL)]::pg_temp.line[], corrects => pg_temp.id(100));
    ASSERT pg_temp.open() = 'timing 300 EUR c', 'what is near goes on: ' || pg_temp.open();
    ASSERT (SELECT (a.since, a.through) = ('2026-11-20T00:00:00Z'::timestamptz, '2026-11-21T00:00:00Z'::timestamptz)
              FROM paystream.settlement_account a WHERE a.merchant = 1), 'what files are about goes back';
    ASSERT (SELECT count(*) = 1 FROM paystream.settlement_exception x WHERE x.merchant = 1 AND x.file IS NULL AND x.outcome = 'superseded');
    PERFORM pg_temp.conserved();
    -- A second file keeps what is about its own days.
    PERFORM pg_temp.filed(102, ARRAY[('captured', 9, 'z', NULL, NULL, '2026-11-25T12:00:00Z')]::pg_temp.line[]);
    ASSERT pg_temp.open() = 'missingHere -9 EUR 2, timing 300 EUR c', pg_temp.open();
    PERFORM pg_temp.filed(103, ARRAY[('captured', 100, 'a', NULL, NULL, NULL), ('captured', 6, 'w', NULL, NULL, NULL)]::pg_temp.line[],
        corrects => pg_temp.id(101));
    ASSERT pg_temp.open() = 'missingHere -9 EUR 2, missingHere -6 EUR 3, timing 300 EUR c', pg_temp.open();
    PERFORM pg_temp.conserved();
END
$$;

-- Days to come were not told of: what moved today is on its way, by an import, as days go by, and when a person links.
DO $$
DECLARE
    today CONSTANT timestamptz := date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
BEGIN
    PERFORM pg_temp.move(10, 'captured', 100, 'a', of_merchant => 2, at => clock_timestamp() - interval '1 minute'),
        pg_temp.move(11, 'captured', 200, 'b', of_merchant => 2, at => clock_timestamp() - interval '5 days 1 minute');
    PERFORM pg_temp.filed(200, ARRAY[('captured', 9, 'x', NULL, NULL, today + interval '20 days')]::pg_temp.line[], of_merchant => 2);
    PERFORM pg_temp.filed(201, ARRAY[('captured', 9, 'y', NULL, NULL, today - interval '6 days')]::pg_temp.line[], of_merchant => 2);
    ASSERT pg_temp.open(2) = 'missingHere -9 EUR 2, missingHere -9 EUR 2, missingThere 200 EUR b, timing 100 EUR a', pg_temp.open(2);
    PERFORM pg_temp.move(12, 'captured', 300, 'c', of_merchant => 2, at => clock_timestamp() - interval '1 second');
    PERFORM paystream.settlement_recheck(2, pg_temp.id(902), gen_random_uuid(), clock_timestamp());
    ASSERT pg_temp.open(2) LIKE '%missingThere 200 EUR b, timing 100 EUR a, timing 300 EUR c', pg_temp.open(2);
    PERFORM pg_temp.move(13, 'captured', 9, 'late', of_merchant => 2, at => clock_timestamp() - interval '1 second');
    PERFORM pg_temp.decided(2, x.id, json_build_object('is', 'link', 'position', m.pos, 'number', 0))
       FROM paystream.settlement_exception x JOIN paystream.movement m ON m.merchant = 2 AND m.stream = pg_temp.id(13)
      WHERE x.merchant = 2 AND x.class = 'missingHere' AND x.file = pg_temp.id(201);
    ASSERT pg_temp.open(2) = 'missingHere -9 EUR 2, missingThere 200 EUR b, timing 100 EUR a, timing 300 EUR c', pg_temp.open(2);
    PERFORM pg_temp.conserved(of_merchant => 2);
END
$$;

-- The same lines by another tariff: what they cost is booked anew, and what two persons disregarded stays so.
DO $$
DECLARE
    lines CONSTANT pg_temp.line[] := ARRAY[('captured', 100, 'a', 3, NULL, NULL), ('captured', 50, 'gone', 3, NULL, NULL)];
BEGIN
    PERFORM pg_temp.move(20, 'captured', 100, 'a', of_merchant => 3);
    PERFORM pg_temp.priced(300, lines, 2, of_merchant => 3);
    ASSERT pg_temp.open(3) = 'fee 1 EUR 2, missingHere -50 EUR 3', pg_temp.open(3);
    PERFORM pg_temp.decided(3, x.id, '{"is":"disregard"}')
       FROM paystream.settlement_exception x WHERE x.merchant = 3 AND x.class = 'missingHere';
    PERFORM pg_temp.priced(301, lines, 3, of_merchant => 3);
    ASSERT pg_temp.open(3) = '', pg_temp.open(3);
    ASSERT (SELECT sum(e.amount) = 3 FROM paystream.settlement_entry e WHERE e.merchant = 3 AND e.kind = 'fee'), 'by the tariff of now';
    PERFORM pg_temp.priced(302, lines, 3, of_merchant => 3, corrects => pg_temp.id(301));
    ASSERT pg_temp.open(3) = '', pg_temp.open(3);
END
$$;

-- A movement that two persons adjusted is told of already: a line in another currency opens nothing for it.
DO $$
BEGIN
    PERFORM pg_temp.move(50, 'captured', 50000, 'op-5', of_merchant => 9, at => '2026-11-01T10:00:00Z');
    PERFORM pg_temp.filed(900, ARRAY[('payout', 1, 'P', NULL, NULL, '2026-11-01T12:00:00Z'), ('payout', 1, 'Q', NULL, NULL, NULL)]::pg_temp.line[], of_merchant => 9);
    ASSERT pg_temp.open(9) = 'missingThere 50000 EUR op-5', pg_temp.open(9);
    PERFORM pg_temp.adjust_all(9);
    PERFORM pg_temp.filed(901, ARRAY[('captured', 54000, 'op-5', NULL, 'USD', NULL)]::pg_temp.line[], of_merchant => 9);
    ASSERT pg_temp.open(9) = 'currency -54000 USD 2', pg_temp.open(9);
    PERFORM pg_temp.conserved(of_merchant => 9);
END
$$;

-- What was adjusted because nothing explained it finds its movement when evidence of it comes, and is taken back.
DO $$
BEGIN
    PERFORM pg_temp.filed(400, ARRAY[('captured', 100, 'a', 4, NULL, NULL)]::pg_temp.line[], of_merchant => 4);
    PERFORM pg_temp.adjust_all(4);
    PERFORM pg_temp.move(30, 'captured', 100, 'a', of_merchant => 4);
    ASSERT paystream.settlement_recheck(4, pg_temp.id(904), gen_random_uuid(), clock_timestamp());
    ASSERT (SELECT sum(e.amount) FILTER (WHERE e.kind = 'adjustment') = 0 AND sum(e.amount) FILTER (WHERE e.kind = 'fee') = 4
              FROM paystream.settlement_entry e WHERE e.merchant = 4), 'the adjustment is taken back, and the fee is the match''s';
    ASSERT pg_temp.open(4) = '', pg_temp.open(4);
    ASSERT NOT paystream.settlement_recheck(4, pg_temp.id(904), gen_random_uuid(), clock_timestamp()), 'once';
    PERFORM pg_temp.conserved(of_merchant => 4);
END
$$;

-- A line that was disregarded is in the sum of its file as long as the file tells of it.
CREATE FUNCTION pg_temp.paid(n int, of_lines int, paid bigint, corrects int DEFAULT NULL) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_temp.priced(n, array_fill(('captured', 50, 'not ours', NULL, NULL, NULL)::pg_temp.line, ARRAY[of_lines])
        || ARRAY[('captured', 1000, 'r', NULL, NULL, NULL), ('payout', paid, 'R', NULL, NULL, NULL)]::pg_temp.line[], NULL,
        of_merchant => 8, rounding => 2, corrects => pg_temp.id(corrects));
    PERFORM pg_temp.decided(8, x.id, '{"is":"disregard"}') FROM paystream.settlement_exception x
      WHERE x.merchant = 8 AND x.ended_act IS NULL AND x.class = 'missingHere';
    RETURN (SELECT coalesce(sum(e.amount), 0) FROM paystream.settlement_entry e WHERE e.merchant = 8 AND e.kind = 'rounding');
END
$$;

DO $$
BEGIN
    PERFORM pg_temp.move(40, 'captured', 1000, 'r', of_merchant => 8);
    ASSERT pg_temp.paid(500, 1, 1049) = 1, 'of 1050';
    ASSERT pg_temp.paid(501, 1, 1048, 500) = 2, 'it is told of still';
    ASSERT pg_temp.paid(502, 0, 999, 501) = 1, 'it is not';
    ASSERT pg_temp.paid(503, 1, 1049, 502) = 1, 'it is again';
    ASSERT pg_temp.paid(504, 3, 1099, 503) = 1, 'of two alike; the third one is in question';
    ASSERT pg_temp.open(8) = 'duplicate -50 EUR 4', pg_temp.open(8);
END
$$;

-- A duplicate that did happen twice is in the sum of its file from then on, and its payout's cents are rounding.
DO $$
BEGIN
    PERFORM pg_temp.move(60, 'captured', 100, 'x', of_merchant => 10), pg_temp.move(61, 'captured', 50, 'y', of_merchant => 10);
    PERFORM pg_temp.priced(1000, ARRAY[('captured', 100, 'x', NULL, NULL, NULL), ('payout', 100, 'P', NULL, NULL, NULL)]::pg_temp.line[], NULL,
        of_merchant => 10, rounding => 2);
    PERFORM pg_temp.priced(1001, ARRAY[('captured', 100, 'x', NULL, NULL, NULL), ('captured', 50, 'y', NULL, NULL, NULL),
        ('payout', 151, 'Q', NULL, NULL, NULL)]::pg_temp.line[], NULL, of_merchant => 10, rounding => 2);
    ASSERT pg_temp.open(10) = 'duplicate -100 EUR 2', pg_temp.open(10);
    ASSERT NOT EXISTS (SELECT FROM paystream.settlement_entry e WHERE e.merchant = 10 AND e.kind = 'rounding');
    PERFORM pg_temp.adjust_all(10);
    ASSERT (SELECT sum(e.amount) = -1 FROM paystream.settlement_entry e WHERE e.merchant = 10 AND e.kind = 'rounding'), 'of 150 beside 151';
    -- What did happen twice by two persons' word waits for no movement: another capture has a line of its own.
    PERFORM pg_temp.move(62, 'captured', 70, 'x', of_merchant => 10), pg_temp.move(63, 'captured', 100, 'x', of_merchant => 10);
    PERFORM paystream.settlement_recheck(10, pg_temp.id(910), gen_random_uuid(), clock_timestamp());
    PERFORM pg_temp.priced(1002, ARRAY[('captured', 70, 'x', NULL, NULL, NULL), ('captured', 100, 'x', NULL, NULL, NULL)]::pg_temp.line[], NULL,
        of_merchant => 10);
    ASSERT pg_temp.open(10) = '', pg_temp.open(10);
    PERFORM pg_temp.conserved(of_merchant => 10);
END
$$;

-- What was adjusted takes no movement of another amount, and none by amount alone; neither does it stand in the way of a line that does.
DO $$
BEGIN
    PERFORM pg_temp.filed(1100, ARRAY[('captured', 100, 'q', NULL, NULL, NULL), ('captured', 55, NULL, NULL, NULL, NULL)]::pg_temp.line[], of_merchant => 11);
    PERFORM pg_temp.adjust_all(11);
    PERFORM pg_temp.filed(1102, ARRAY[('captured', 1, 'open', NULL, NULL, NULL)]::pg_temp.line[], of_merchant => 11);
    PERFORM pg_temp.move(70, 'captured', 70, 'q', of_merchant => 11), pg_temp.move(71, 'captured', 55, 'nameless', of_merchant => 11);
    PERFORM paystream.settlement_recheck(11, pg_temp.id(911), gen_random_uuid(), clock_timestamp());
    ASSERT NOT EXISTS (SELECT FROM paystream.settlement_match x WHERE x.merchant = 11), 'nothing is taken back';
    PERFORM pg_temp.filed(1101, ARRAY[('captured', 55, NULL, NULL, NULL, '2026-11-20T11:00:00Z'), ('captured', 70, 'q', NULL, NULL, NULL)]::pg_temp.line[],
        of_merchant => 11);
    ASSERT pg_temp.open(11) = 'missingHere -1 EUR 2', pg_temp.open(11);
    ASSERT (SELECT count(*) = 2 FROM paystream.settlement_match x WHERE x.merchant = 11 AND x.file = pg_temp.id(1101));
    PERFORM pg_temp.conserved(of_merchant => 11);
END
$$;

-- A movement that lost its line is raised, on whatever day it was: where the first day's line is taken off, and where a file stood in a wrong place.
DO $$
BEGIN
    PERFORM pg_temp.move(80, 'captured', 100, 'a', of_merchant => 12, at => '2026-10-01T10:00:00Z'),
        pg_temp.move(81, 'captured', 200, 'b', of_merchant => 12, at => '2026-10-02T10:00:00Z'),
        pg_temp.move(82, 'captured', 300, 'c', of_merchant => 12, at => '2026-11-10T10:00:00Z');
    PERFORM pg_temp.filed(1200, ARRAY[('captured', 100, 'a', NULL, NULL, '2026-10-01T12:00:00Z'), ('captured', 200, 'b', NULL, NULL, '2026-10-02T12:00:00Z')]
        ::pg_temp.line[], of_merchant => 12);
    PERFORM pg_temp.filed(1201, ARRAY[('captured', 200, 'b', NULL, NULL, '2026-10-02T12:00:00Z')]::pg_temp.line[], of_merchant => 12,
        corrects => pg_temp.id(1200));
    ASSERT pg_temp.open(12) = 'timing 100 EUR a', pg_temp.open(12);
    -- The next file says that it corrects that one, which is wrong.
    PERFORM pg_temp.filed(1202, ARRAY[('captured', 300, 'c', NULL, NULL, '2026-11-10T12:00:00Z')]::pg_temp.line[], of_merchant => 12,
        corrects => pg_temp.id(1201));
    ASSERT pg_temp.open(12) = 'missingThere 100 EUR a, missingThere 200 EUR b', pg_temp.open(12);
    -- Back to what it was, and the other one on its own.
    PERFORM pg_temp.filed(1203, ARRAY[('captured', 200, 'b', NULL, NULL, '2026-10-02T12:00:00Z')]::pg_temp.line[], of_merchant => 12,
        corrects => pg_temp.id(1202));
    ASSERT pg_temp.open(12) = 'missingThere 100 EUR a, timing 300 EUR c' OR pg_temp.open(12) = 'missingThere 100 EUR a, missingThere 300 EUR c', pg_temp.open(12);
    ASSERT pg_temp.filed(1204, ARRAY[('captured', 300, 'c', NULL, NULL, '2026-11-10T12:00:00Z')]::pg_temp.line[], of_merchant => 12) IS NULL, 'it is known';
    PERFORM pg_temp.filed(1204, ARRAY[('captured', 300, 'c', NULL, NULL, '2026-11-10T12:00:00Z')]::pg_temp.line[], of_merchant => 12, alone => true);
    ASSERT pg_temp.open(12) = 'missingThere 100 EUR a', pg_temp.open(12);
    ASSERT pg_temp.filed(1205, ARRAY[('captured', 300, 'c', NULL, NULL, '2026-11-10T12:00:00Z')]::pg_temp.line[], of_merchant => 12, alone => true) IS NULL,
        'once';
    PERFORM pg_temp.conserved(of_merchant => 12);
END
$$;

-- A correction that names no period is about the days that were named before; by other days the same bytes are another file in its place.
DO $$
DECLARE
    told text;
BEGIN
    PERFORM pg_temp.move(90, 'captured', 100, 'a', of_merchant => 13, at => '2026-10-02T10:00:00Z'),
        pg_temp.move(91, 'captured', 200, 'b', of_merchant => 13, at => '2026-10-30T10:00:00Z');
    PERFORM pg_temp.filed(1300, ARRAY[('captured', 9, 'x', 1, NULL, '2026-10-15T12:00:00Z')]::pg_temp.line[], of_merchant => 13,
        first_day => '2026-10-01', end_day => '2026-11-01');
    told := pg_temp.open(13);
    ASSERT told = 'missingHere -9 EUR 2, missingThere 100 EUR a, timing 200 EUR b', told;
    PERFORM pg_temp.filed(1301, ARRAY[('captured', 9, 'x', 2, NULL, '2026-10-15T12:00:00Z')]::pg_temp.line[], of_merchant => 13, corrects => pg_temp.id(1300));
    ASSERT pg_temp.open(13) = told, pg_temp.open(13);
    ASSERT (SELECT f.is_stated AND f.begins_at = '2026-10-01T00:00:00Z' FROM paystream.settlement_file f WHERE f.id = pg_temp.id(1301));
    ASSERT pg_temp.filed(1302, ARRAY[('captured', 9, 'x', 2, NULL, '2026-10-15T12:00:00Z')]::pg_temp.line[], of_merchant => 13,
        first_day => '2026-10-01', end_day => '2026-11-01') IS NULL, 'the same days';
    PERFORM pg_temp.filed(1302, ARRAY[('captured', 9, 'x', 2, NULL, '2026-10-15T12:00:00Z')]::pg_temp.line[], of_merchant => 13,
        first_day => '2026-10-10', end_day => '2026-10-20');
    ASSERT (SELECT f.corrects = pg_temp.id(1301) AND f.begins_at = '2026-10-10T00:00:00Z' FROM paystream.settlement_file f WHERE f.id = pg_temp.id(1302));
    PERFORM pg_temp.conserved(of_merchant => 13);
END
$$;

-- A line that comes once again is told of, though one like it was disregarded for coming twice.
DO $$
BEGIN
    PERFORM pg_temp.filed(1400, ARRAY[('payout', 1000, 'PO', NULL, NULL, NULL), ('payout', 1000, 'PO', NULL, NULL, NULL)]::pg_temp.line[], of_merchant => 14);
    PERFORM pg_temp.decided(14, x.id, '{"is":"disregard"}') FROM paystream.settlement_exception x WHERE x.merchant = 14 AND x.ended_act IS NULL;
    PERFORM pg_temp.filed(1401, ARRAY[('payout', 1000, 'PO', NULL, NULL, NULL), ('payout', 1000, 'PO', 1, NULL, NULL)]::pg_temp.line[], of_merchant => 14,
        corrects => pg_temp.id(1400));
    PERFORM pg_temp.filed(1402, ARRAY[('payout', 1000, 'PO', NULL, NULL, NULL), ('payout', 1000, 'PO', NULL, NULL, NULL)]::pg_temp.line[], of_merchant => 14,
        corrects => pg_temp.id(1401));
    ASSERT pg_temp.open(14) = '', 'twice still: ' || pg_temp.open(14);
    PERFORM pg_temp.filed(1403, ARRAY[('payout', 1001, 'PO', NULL, NULL, NULL)]::pg_temp.line[], of_merchant => 14, corrects => pg_temp.id(1402));
    PERFORM pg_temp.filed(1404, ARRAY[('payout', 1000, 'PO', NULL, NULL, NULL)]::pg_temp.line[], of_merchant => 14, corrects => pg_temp.id(1403));
    ASSERT (SELECT sum(e.amount) = 1000 FROM paystream.settlement_entry e WHERE e.merchant = 14 AND e.kind = 'payout'), 'once';
    PERFORM pg_temp.conserved(of_merchant => 14);
END
$$;

-- Where a correction takes off what others were duplicates of, nobody decided about them is booked, and who was disregarded is asked about again.
DO $$
DECLARE
    n int := 1500;
    is_decided boolean;
BEGIN
    FOREACH is_decided IN ARRAY '{false,true}'::boolean[] LOOP
        PERFORM pg_temp.filed(n, ARRAY[('payout', n, 'PO' || n, NULL, NULL, NULL), ('fee', 5, NULL, NULL, NULL, '2026-11-20T10:00:00Z')]::pg_temp.line[], of_merchant => 15);
        PERFORM pg_temp.filed(n + 1, ARRAY[('payout', n, 'PO' || n, 3, NULL, NULL), ('fee', 5, NULL, NULL, NULL, '2026-11-20T10:00:00Z'), ('fee', n, 'f', NULL, NULL, NULL)]
            ::pg_temp.line[], of_merchant => 15);
        IF is_decided THEN
            PERFORM pg_temp.decided(15, x.id, '{"is":"disregard"}') FROM paystream.settlement_exception x WHERE x.merchant = 15 AND x.ended_act IS NULL;
        END IF;
        ASSERT pg_temp.open(15) = CASE WHEN is_decided THEN '' ELSE 'duplicate 5 EUR 3, duplicate 1500 EUR 2' END, pg_temp.open(15);
        PERFORM pg_temp.filed(n + 2, ARRAY[('payout', 1, 'other' || n, NULL, NULL, NULL)]::pg_temp.line[], of_merchant => 15, corrects => pg_temp.id(n));
        ASSERT pg_temp.open(15) = CASE WHEN is_decided THEN 'duplicate 5 EUR 3, duplicate 1600 EUR 2' ELSE '' END, pg_temp.open(15);
        IF is_decided THEN
            PERFORM pg_temp.decided(15, x.id, '{"is":"disregard"}') FROM paystream.settlement_exception x
              WHERE x.merchant = 15 AND x.ended_act IS NULL AND x.amount = 5;
            PERFORM pg_temp.adjust_all(15);
        END IF;
        ASSERT (SELECT sum(e.amount) FILTER (WHERE e.kind = 'payout') = n + 1 AND sum(e.amount) FILTER (WHERE e.kind = 'fee') = n + CASE WHEN is_decided THEN 3 ELSE 8 END
                  FROM paystream.settlement_entry e WHERE e.merchant = 15 AND e.file IN (pg_temp.id(n), pg_temp.id(n + 1), pg_temp.id(n + 2))), 'booked once';
        PERFORM pg_temp.conserved(of_merchant => 15);
        -- Another moment for the second round.
        UPDATE paystream.settlement_line l SET at = l.at - interval '1 minute' WHERE l.merchant = 15;
        n := n + 100;
    END LOOP;
END
$$;

-- What was adjusted is taken back once, however often its other side comes and goes; and a fee is in question as long as anything says what it should be.
DO $$
DECLARE
    priced CONSTANT pg_temp.line[] := ARRAY[('captured', 100, 'p', 3, NULL, NULL), ('refunded', 10, 'r', 1, NULL, '2026-11-20T10:00:00Z')]::pg_temp.line[];
BEGIN
    PERFORM pg_temp.move(100, 'captured', 100, 'a', of_merchant => 16, at => '2026-11-10T10:00:00Z');
    PERFORM pg_temp.filed(1600, ARRAY[('captured', 1, 'x', NULL, NULL, NULL), ('captured', 1, 'y', NULL, NULL, '2026-11-10T10:00:00Z')]::pg_temp.line[], of_merchant => 16);
    PERFORM pg_temp.adjust_all(16);
    FOR n IN 1601..1606 LOOP
        PERFORM pg_temp.filed(n, CASE WHEN n % 2 = 0 THEN '{}'::pg_temp.line[] ELSE ARRAY[('captured', 100, 'a', NULL, NULL, NULL)]::pg_temp.line[] END
            || ARRAY[('captured', 2, 'z' || n, NULL, NULL, NULL)]::pg_temp.line[], of_merchant => 16, corrects => pg_temp.id(n - 1));
    END LOOP;
    ASSERT (SELECT max(e.entries) <= 2 FROM (SELECT count(*) AS entries FROM paystream.settlement_entry e
             WHERE e.merchant = 16 AND e.exception IS NOT NULL GROUP BY e.exception) e), 'one entry takes one back';
    PERFORM pg_temp.conserved(of_merchant => 16);
    PERFORM pg_temp.move(101, 'captured', 100, 'p', of_merchant => 16), pg_temp.move(102, 'refunded', 10, 'r', of_merchant => 16, stream => 101);
    PERFORM pg_temp.priced(1650, priced, NULL, of_merchant => 16);
    PERFORM pg_temp.priced(1651, priced, 2, of_merchant => 16);
    ASSERT pg_temp.open(16) LIKE 'fee 1 EUR%', pg_temp.open(16);
    PERFORM pg_temp.priced(1652, priced, NULL, of_merchant => 16, corrects => pg_temp.id(1651));
    ASSERT pg_temp.open(16) NOT LIKE '%fee%', pg_temp.open(16);
END
$$;

-- Bytes that stand already can't stand in another place, too; which file they were is told, and what is no file of the account's corrects none.
DO $$
DECLARE
    begun record;
    lines CONSTANT pg_temp.line[] := ARRAY[('captured', 1, 'a', NULL, NULL, NULL)]::pg_temp.line[];
    more CONSTANT pg_temp.line[] := ARRAY[('captured', 2, 'b', NULL, NULL, NULL)]::pg_temp.line[];
BEGIN
    PERFORM pg_temp.filed(600, lines, of_merchant => 5), pg_temp.filed(601, more, of_merchant => 5);
    SELECT * INTO begun FROM paystream.settlement_begin(5, pg_temp.id(905), 'main', 'live', 'ecommpay', convert_to(lines::text, 'UTF8'),
        '{"delay" : 5, "zone" : "UTC"}', 5, 'anna', pg_temp.id(601));
    ASSERT (begun.known, begun.is_apart) = (pg_temp.id(600), true), row_to_json(begun)::text;
    PERFORM pg_temp.filed(602, ARRAY[('captured', 3, 'c', NULL, NULL, NULL)]::pg_temp.line[], of_merchant => 5, corrects => pg_temp.id(600));
    SELECT * INTO begun FROM paystream.settlement_begin(5, pg_temp.id(905), 'main', 'live', 'ecommpay',
        convert_to((ARRAY[('captured', 3, 'c', NULL, NULL, NULL)]::pg_temp.line[])::text, 'UTF8'), '{"delay" : 5, "zone" : "UTC"}', 5, 'anna', pg_temp.id(600));
    ASSERT (begun.known, begun.is_apart) = (pg_temp.id(602), false), 'the same once more';
    BEGIN
        PERFORM paystream.settlement_begin(5, pg_temp.id(905), 'main', 'live', 'ecommpay', 'bytes', '{}', 5, 'anna', pg_temp.id(100));
        ASSERT false, 'another merchant has that file';
    EXCEPTION WHEN SQLSTATE 'PS041' THEN NULL;
    END;
END
$$;

-- Only who keeps a mapping makes it the account's own; an import names the one that it was read by.
DO $$
DECLARE
    begun record;
BEGIN
    ASSERT NOT EXISTS (SELECT FROM paystream.settlement_mapping m WHERE m.merchant = 5 AND m.is_own), 'imports keep none';
    SELECT * INTO begun FROM paystream.settlement_begin(5, pg_temp.id(905), 'main', 'live', 'ecommpay', '', '{"own" : 1}', 9, 'anna', NULL, 'keep');
    ASSERT begun.mapping = 2, 'behind the one of the imports';
    SELECT * INTO begun FROM paystream.settlement_begin(5, pg_temp.id(905), 'main', 'live', 'ecommpay', '', '{"own" : 1}', 9, 'anna', NULL, 'keep');
    ASSERT begun.mapping = 2, 'the same is no new version';
    SELECT * INTO begun FROM paystream.settlement_begin(5, pg_temp.id(905), 'main', 'live', 'ecommpay', 'x', '{"delay" : 5, "zone" : "UTC"}', 5, 'anna', NULL, 'follow');
    ASSERT begun.mapping = 1, 'an import that began before the other one was kept';
    SELECT * INTO begun FROM paystream.settlement_begin(5, pg_temp.id(905), 'main', 'live', 'ecommpay', 'x', '{"once" : 1}', 7, 'anna', NULL, 'once');
    ASSERT begun.mapping = 3;
    ASSERT (SELECT a.delay_days = 9 FROM paystream.settlement_account a WHERE a.merchant = 5), 'the account''s own says how long it takes';
    ASSERT (SELECT array_agg(m.version) = '{2}' FROM paystream.settlement_mapping m WHERE m.merchant = 5 AND m.is_own);
    SELECT * INTO begun FROM paystream.settlement_begin(5, pg_temp.id(905), 'main', 'live', 'ecommpay', '', '{"once" : 1}', 7, 'anna', NULL, 'keep');
    ASSERT begun.mapping = 4, 'and may be kept';
END
$$;

-- A file whose lines are all alike is looked through once: so many rows are read for each of them, however many there are.
CREATE FUNCTION pg_temp.read() RETURNS numeric LANGUAGE sql AS $$
    SELECT sum(pg_stat_get_xact_tuples_returned(r.oid))
      FROM (SELECT 'paystream.settlement_line'::regclass AS oid
            UNION ALL SELECT i.indexrelid FROM pg_index i WHERE i.indrelid = 'paystream.settlement_line'::regclass) r
$$;

DO $$
DECLARE
    lines CONSTANT int := 3000;
    before numeric;
    of_line pg_temp.line;
BEGIN
    -- By name in two kinds, payouts of one name, and fees without one.
    FOREACH of_line IN ARRAY ARRAY[('captured', 5, 'same', NULL, NULL, NULL), ('refunded', 5, 'same', NULL, NULL, NULL),
        ('payout', 5, 'same', NULL, NULL, NULL), ('fee', 5, NULL, NULL, NULL, NULL)]::pg_temp.line[] LOOP
        before := pg_temp.read();
        PERFORM pg_temp.filed(700 + ascii(of_line.kind), array_fill(of_line, ARRAY[lines]), of_merchant => 6);
        ASSERT pg_temp.read() - before < 100 * lines, format('%s: %s rows of lines', of_line.kind, pg_temp.read() - before);
    END LOOP;
    ASSERT (SELECT array_agg(c.found ORDER BY c.kind) = '{2999,2999}'
              FROM (SELECT l.kind, count(*) AS found FROM paystream.settlement_exception x
                      JOIN paystream.settlement_line l ON l.merchant = 6 AND l.file = x.file AND l.number = x.line
                     WHERE x.merchant = 6 AND x.class = 'duplicate' AND l.kind IN ('captured', 'refunded') GROUP BY l.kind) c);
END
$$;

-- The same days in another zone are the same days.
DO $$
BEGIN
    PERFORM paystream.settlement_begin(7, pg_temp.id(907), 'main', 'live', 'ecommpay', 'a', '{"zone":"UTC"}', 5, 'anna'),
        paystream.settlement_finish(7, pg_temp.id(907), pg_temp.id(800), 'a', 1, 0, '[]', 'UTC', '2026-11-20', '2026-11-21', NULL, 2, 'never', 'anna'),
        paystream.settlement_begin(7, pg_temp.id(907), 'main', 'live', 'ecommpay', 'b', '{"zone":"America/New_York"}', 5, 'anna'),
        paystream.settlement_finish(7, pg_temp.id(907), pg_temp.id(801), 'b', 2, 0, '[]', 'America/New_York', '2026-11-20', '2026-11-21', NULL, 2,
            'never', 'anna');
    ASSERT (SELECT f.corrects = pg_temp.id(800) FROM paystream.settlement_file f WHERE f.id = pg_temp.id(801));
END
$$;
