-- Evidence that changes behind settlement files: matches follow the money, corrections count once, whatever is listed is whole, and nothing
-- is lost at any position.
\ir fixtures/settlement.sql

INSERT INTO paystream.merchant (id, name) OVERRIDING SYSTEM VALUE
SELECT n, 'shop ' || n FROM generate_series(11, 19) AS n;

-- A row of a movement: what its operation moved, under a name of the provider's or under none.
CREATE FUNCTION pg_temp.moves(
    of_merchant int, n int, version int, number int, amount bigint, items int, part text, name text, what text DEFAULT 'captured')
RETURNS void LANGUAGE sql AS $$
    INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency, items, effective_at,
        known_at, part, provider_reference, account, account_name, account_mode, provider, evidence, commanded, cause)
    VALUES (of_merchant, pg_temp.id(n), version, number, 1, nextval('paystream.pos_seq'), what, amount, 'EUR', items,
        '2026-11-20T10:00:00Z', statement_timestamp(), part, name, pg_temp.id(900 + of_merchant), 'main', 'live', 'ecommpay',
        CASE WHEN name IS NULL THEN 'operator' ELSE 'provider' END, true, pg_temp.id(n))
$$;

-- What a payment is called beside the names of its operations.
CREATE FUNCTION pg_temp.called(of_merchant int, n int, name text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO paystream.reference (merchant, stream_kind, account, stream, kind, value)
    VALUES (of_merchant, 1, pg_temp.id(900 + of_merchant), pg_temp.id(n), 'payment', name)
$$;

CREATE FUNCTION pg_temp.looked(of_merchant int) RETURNS boolean LANGUAGE sql AS $$
    SELECT paystream.settlement_recheck(of_merchant, pg_temp.id(900 + of_merchant), gen_random_uuid(), clock_timestamp())
$$;

-- What lines are matched with now, by the movement's name.
CREATE FUNCTION pg_temp.matched(of_merchant int) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce(string_agg(concat_ws(' ', x.line, coalesce(m.provider_reference, '-'), m.amount), ', '
               ORDER BY x.file, x.line), '')
      FROM paystream.settlement_match x
      LEFT JOIN paystream.movement m
        ON m.merchant = x.merchant AND m.stream = x.stream AND m.version = x.version AND m.number = x.number
     WHERE x.merchant = of_merchant AND x.ended_act IS NULL
$$;

-- What two persons showed is seen under the provider's own name: the line goes on to it, and brings no second fee.
DO $$
DECLARE
    filed bigint;
    before text;
BEGIN
    PERFORM pg_temp.moves(11, 1101, 1, 0, 1000, 1, 'op-1', NULL), pg_temp.called(11, 1101, 'order-1');
    filed := pg_temp.filed(200, ARRAY[('captured', 1000, 'order-1', 15, NULL, NULL)]::pg_temp.line[], delay => 0, of_merchant => 11);
    ASSERT pg_temp.open(11) = '' AND pg_temp.matched(11) = '2 - 1000', pg_temp.matched(11);
    before := pg_temp.conserved(filed, of_merchant => 11);
    PERFORM pg_temp.moves(11, 1101, 5, 0, -1000, -1, 'op-1', NULL), pg_temp.moves(11, 1101, 5, 1, 1000, 1, 'op-1', 'c-1');
    ASSERT pg_temp.conserved(of_merchant => 11) = before, format('before anybody looked: %s', pg_temp.conserved(of_merchant => 11));
    ASSERT pg_temp.looked(11);
    ASSERT pg_temp.open(11) = '' AND pg_temp.matched(11) = '2 c-1 1000', format('%s; %s', pg_temp.open(11), pg_temp.matched(11));
    ASSERT pg_temp.conserved(of_merchant => 11) = before, pg_temp.conserved(of_merchant => 11);
    ASSERT pg_temp.conserved(filed, of_merchant => 11) = before, 'as of then it is as it was';
    ASSERT (SELECT sum(b.amount) = 15 FROM paystream.booked b WHERE b.merchant = 11 AND b.kind = 'fee'), 'the fee is one';
    ASSERT NOT pg_temp.looked(11), 'once';

    -- A running total was another operation's, as the same event shows; what a third one moved has no line.
    PERFORM pg_temp.moves(11, 1102, 1, 0, 500, 1, 'op-1', NULL), pg_temp.called(11, 1102, 'order-2');
    PERFORM pg_temp.filed(201, ARRAY[('captured', 500, 'order-2', NULL, NULL, NULL)]::pg_temp.line[], delay => 0, of_merchant => 11);
    PERFORM pg_temp.moves(11, 1102, 2, 0, 500, 1, 'op-3', 'c-3'), pg_temp.moves(11, 1102, 3, 0, -500, -1, 'op-1', NULL),
        pg_temp.moves(11, 1102, 3, 1, 500, 1, 'op-2', 'c-2');
    PERFORM pg_temp.conserved(of_merchant => 11), pg_temp.looked(11);
    ASSERT pg_temp.open(11) = 'missingThere 500 EUR c-3', pg_temp.open(11);
    ASSERT pg_temp.matched(11) = '2 c-1 1000, 2 c-2 500', pg_temp.matched(11);
    PERFORM pg_temp.conserved(of_merchant => 11);

    -- A line that names a movement as the provider does stays with it, though the next try of the same operation succeeds.
    PERFORM pg_temp.moves(11, 1103, 1, 0, 700, 1, 'op-1', 'c-4');
    PERFORM pg_temp.filed(202, ARRAY[('captured', 700, 'c-4', NULL, NULL, NULL)]::pg_temp.line[], delay => 0, of_merchant => 11);
    PERFORM pg_temp.moves(11, 1103, 3, 0, -700, -1, 'op-1', 'c-4'), pg_temp.moves(11, 1103, 4, 0, 700, 1, 'op-1', 'c-5');
    PERFORM pg_temp.conserved(of_merchant => 11), pg_temp.looked(11), pg_temp.conserved(of_merchant => 11);
    PERFORM pg_temp.filed(203, ARRAY[('captured', 700, 'c-5', NULL, NULL, NULL)]::pg_temp.line[], delay => 0, of_merchant => 11);
    ASSERT pg_temp.open(11) = 'amount -700 EUR 2, missingThere 500 EUR c-3', pg_temp.open(11);
    PERFORM pg_temp.conserved(of_merchant => 11);
END
$$;

-- Evidence about a movement that no line tells of: its exception says what there is now, keeps its age and its owner, and what two persons
-- adjusted for something else is taken back.
DO $$
DECLARE
    item paystream.settlement_exception;
    was timestamptz;
BEGIN
    PERFORM pg_temp.moves(12, 1201, 1, 0, 300, 1, 'op-1', NULL);
    PERFORM pg_temp.filed(210, ARRAY[('payout', 1, 'p-1', NULL, NULL, NULL)]::pg_temp.line[], delay => 0, of_merchant => 12);
    SELECT * INTO item FROM paystream.settlement_exception x WHERE x.merchant = 12;
    ASSERT item.class = 'missingThere' AND item.amount = 300, 'nothing tells of it';
    was := item.since;
    ASSERT paystream.settlement_assign(12, item.id, 'carla', 'anna', gen_random_uuid()) = 'ok';
    PERFORM pg_temp.moves(12, 1201, 2, 0, -20, 0, 'op-1', NULL), pg_temp.conserved(of_merchant => 12);
    ASSERT pg_temp.looked(12) AND pg_temp.open(12) = 'missingThere 280 EUR', pg_temp.open(12);
    PERFORM pg_temp.conserved(of_merchant => 12);
    PERFORM pg_temp.moves(12, 1201, 3, 0, -280, -1, 'op-1', NULL), pg_temp.moves(12, 1201, 3, 1, 280, 1, 'op-1', 'z-1');
    PERFORM pg_temp.conserved(of_merchant => 12);
    ASSERT pg_temp.looked(12) AND pg_temp.open(12) = 'missingThere 280 EUR z-1', pg_temp.open(12);
    ASSERT (SELECT x.owner = 'carla' AND x.since = was FROM paystream.settlement_exception x WHERE x.merchant = 12 AND x.ended_act IS NULL);
    PERFORM pg_temp.conserved(of_merchant => 12), pg_temp.adjust_all(12);
    PERFORM pg_temp.moves(12, 1201, 4, 0, 5, 0, 'op-1', 'z-1'), pg_temp.conserved(of_merchant => 12);
    ASSERT pg_temp.looked(12) AND pg_temp.open(12) = 'missingThere 285 EUR z-1', pg_temp.open(12);
    ASSERT (SELECT sum(e.amount) = 0 FROM paystream.settlement_entry e WHERE e.merchant = 12 AND e.kind = 'adjustment'), 'taken back';
    PERFORM pg_temp.conserved(of_merchant => 12), pg_temp.adjust_all(12);
    -- It never was.
    PERFORM pg_temp.moves(12, 1201, 5, 0, -285, -1, 'op-1', 'z-1'), pg_temp.conserved(of_merchant => 12);
    ASSERT pg_temp.looked(12) AND pg_temp.open(12) = '', pg_temp.open(12);
    ASSERT pg_temp.conserved(of_merchant => 12) = '0 0 0 0 0 0', pg_temp.conserved(of_merchant => 12);
END
$$;

-- A chain of corrections counts its last file alone, whichever file each of them names, and an earlier file comes back as a correction.
DO $$
DECLARE
    one CONSTANT pg_temp.line[] := ARRAY[('captured', 100, 'a', 2, NULL, NULL), ('payout', 50, 'p', NULL, NULL, NULL)]::pg_temp.line[];
    two CONSTANT pg_temp.line[] := ARRAY[('captured', 100, 'a', 2, NULL, NULL), ('payout', 60, 'p', NULL, NULL, NULL)]::pg_temp.line[];
    three CONSTANT pg_temp.line[] := ARRAY[('captured', 100, 'a', 2, NULL, NULL), ('payout', 70, 'p', NULL, NULL, NULL)]::pg_temp.line[];
    seen int := 0;
    item uuid;
    last record;
    told record;
BEGIN
    PERFORM pg_temp.moves(13, 1301, 1, 0, 100, 1, 'op-1', 'a');
    PERFORM pg_temp.filed(220, one, of_merchant => 13);
    PERFORM pg_temp.filed(221, two, of_merchant => 13, corrects => pg_temp.id(220));
    PERFORM pg_temp.filed(222, three, of_merchant => 13, corrects => pg_temp.id(220));
    ASSERT (SELECT sum(b.amount) = 70 FROM paystream.booked b WHERE b.merchant = 13 AND b.kind = 'payout'),
        format('paid out %s', (SELECT sum(b.amount) FROM paystream.booked b WHERE b.merchant = 13 AND b.kind = 'payout'));
    ASSERT pg_temp.open(13) = '' AND pg_temp.matched(13) = '2 a 100', format('%s; %s', pg_temp.open(13), pg_temp.matched(13));
    ASSERT (SELECT r.filed = 100 - 2 - 70 FROM paystream.report_settlement(13) r ORDER BY r.day DESC LIMIT 1), 'what the files come to';
    -- The same bytes alone change nothing; as a correction they are the file of the period again, once.
    ASSERT pg_temp.filed(223, one, of_merchant => 13) IS NULL, 'known';
    ASSERT pg_temp.filed(224, one, of_merchant => 13, corrects => pg_temp.id(222)) IS NOT NULL, 'back to the first';
    ASSERT (SELECT sum(b.amount) = 50 FROM paystream.booked b WHERE b.merchant = 13 AND b.kind = 'payout'), 'as it was';
    ASSERT pg_temp.filed(225, one, of_merchant => 13, corrects => pg_temp.id(222)) IS NULL, 'said twice is said once';
    ASSERT pg_temp.filed(226, three, of_merchant => 13) IS NULL, 'known, though it counts no longer';
    ASSERT pg_temp.filed(227, three, of_merchant => 13, corrects => pg_temp.id(224)) IS NOT NULL, 'and on to the last';
    ASSERT (SELECT (sum(b.amount) FILTER (WHERE b.kind = 'payout'), sum(b.amount) FILTER (WHERE b.kind = 'fee')) = (70::numeric, 2::numeric)
              FROM paystream.booked b WHERE b.merchant = 13), 'each of the last file';
    ASSERT pg_temp.open(13) = '' AND pg_temp.matched(13) = '2 a 100', format('%s; %s', pg_temp.open(13), pg_temp.matched(13));
    PERFORM pg_temp.conserved(of_merchant => 13);
    -- What two persons disregarded is disregarded in the corrected one, too.
    PERFORM pg_temp.filed(228, three || ('captured', 9, 'stranger', NULL, NULL, NULL)::pg_temp.line, of_merchant => 13,
        corrects => pg_temp.id(227));
    SELECT x.id INTO item FROM paystream.settlement_exception x WHERE x.merchant = 13 AND x.ended_act IS NULL;
    ASSERT paystream.settlement_propose(13, item, '{"is":"disregard"}', 'nobody''s', 'anna', gen_random_uuid()) = 'ok';
    ASSERT paystream.settlement_approve(13, item, 1, 'boris', gen_random_uuid()) = 'ok';
    PERFORM pg_temp.filed(229, two || ('captured', 9, 'stranger', NULL, NULL, NULL)::pg_temp.line, of_merchant => 13,
        corrects => pg_temp.id(220));
    ASSERT pg_temp.open(13) = '', pg_temp.open(13);
    PERFORM pg_temp.conserved(of_merchant => 13);

    -- Between two positions stands what settlement booked, too, each once whatever a page holds; and nobody need have commanded a payout.
    INSERT INTO paystream.event (pos, at, merchant, ver, stream_kind, stream, cause, type, data)
    SELECT nextval('paystream.pos_seq'), clock_timestamp() + n * interval '1 minute', 13, n + 1, 2, pg_temp.id(13), pg_temp.id(13), 'made', '{}'
      FROM generate_series(0, 1) AS n;
    SELECT NULL::timestamptz AS known_at, NULL::bigint AS position, NULL::bigint AS number INTO last;
    LOOP
        SELECT r.* INTO told FROM paystream.movements_between(13, 'UTC', NULL, NULL, NULL, 0, 9223372036854775807, false,
            '{captured,fee,payout}', 'balance', last.known_at, last.position, last.number, 1) r;
        EXIT WHEN NOT FOUND OR seen > 100;
        seen := seen + 1;
        SELECT told.known_at, told.position, told.number INTO last;
    END LOOP;
    ASSERT seen = 1 + (SELECT count(*) FROM paystream.settlement_entry e WHERE e.merchant = 13), format('listed %s', seen);
    ASSERT (SELECT (sum(r.amount) FILTER (WHERE r.movement = 'payout'), sum(r.amount) FILTER (WHERE r.movement = 'fee')) = (60, 2)
              FROM paystream.movements_between(13, 'UTC', NULL, NULL, NULL, 0, 9223372036854775807, false, '{captured,fee,payout}',
                'balance', NULL, NULL, NULL, 1000) r), 'what the balance says';
    ASSERT NOT EXISTS (SELECT FROM paystream.report_uncommanded(13)), 'payouts are no operations';
END
$$;

-- Thousands of lines and hundreds of movements of one name stand beside each other, and not against each other.
DO $$
DECLARE
    account CONSTANT uuid := pg_temp.id(914);
    seen bigint;
BEGIN
    PERFORM pg_temp.called(14, 1401, 'one-name');
    PERFORM pg_temp.moves(14, 1401, n, 0, n, 1, 'op-' || n, 'c-' || n) FROM generate_series(1, 300) AS n;
    PERFORM paystream.settlement_begin(14, account, 'main', 'live', 'ecommpay', 'x', '{}', 0, 'anna');
    PERFORM paystream.settlement_lines(14, pg_temp.id(230), 'UTC', false, array_agg(n), array_agg('captured'::text), array_agg(NULL::text),
        array_agg(n::bigint), array_agg(1), array_agg('EUR'::text), array_agg(0::bigint), array_agg(NULL::bigint), array_agg(NULL::text),
        array_agg('one-name'::text), array_agg('2026-11-20T12:00:00Z'::timestamptz)) FROM generate_series(101, 3100) AS n;
    SELECT count(*) INTO seen FROM paystream.settlement_candidates(14, account, pg_temp.id(230), 'reference');
    ASSERT seen = 3000 + 300, format('%s rows to look at', seen);
    PERFORM paystream.settlement_finish(14, account, pg_temp.id(230), 'x', 1, 3000, '[]', 'UTC', NULL, NULL, NULL, 2, 'always', 'anna');
    ASSERT (SELECT count(*) = 200 AND bool_and(x.line = x.version) FROM paystream.settlement_match x WHERE x.merchant = 14), 'by amount';
    ASSERT (SELECT (count(*) FILTER (WHERE x.class = 'missingHere'), count(*) FILTER (WHERE x.class = 'missingThere')) = (2800::bigint, 100::bigint)
              FROM paystream.settlement_exception x WHERE x.merchant = 14), 'and no other';
    PERFORM pg_temp.conserved(of_merchant => 14);
END
$$;

-- Exceptions come by pages, each once, in the order of the whole.
DO $$
DECLARE
    place record;
    page text[];
    found text[] := '{}';
BEGIN
    SELECT NULL::timestamptz AS since, NULL::timestamptz AS at, NULL::int AS line, NULL::uuid AS id INTO place;
    LOOP
        SELECT array_agg(e.exception ORDER BY e.since, e.at, e.place, e.id) INTO page
          FROM paystream.exceptions_behind(14, 'UTC', NULL, NULL, NULL, 9223372036854775807, place.since, place.at, place.line, place.id, 700) e;
        EXIT WHEN page IS NULL OR cardinality(found) > 5000;
        found := found || page;
        SELECT x.since, x.at, coalesce(x.line, 0) AS line, x.id INTO place FROM paystream.settlement_exception x
         WHERE x.merchant = 14 AND 'exc_' || replace(x.id::text, '-', '') = page[cardinality(page)];
    END LOOP;
    ASSERT found = (SELECT array_agg(r.exception) FROM paystream.report_exceptions(14) r), 'all of them, in order';
    ASSERT cardinality(found) = 2900, 'each once';
END
$$;

-- Another version of the movements takes their place and numbers them otherwise: matches and exceptions go along, and what it names
-- otherwise is matched again.
DO $$
DECLARE
    told text;
BEGIN
    PERFORM pg_temp.moves(15, 1501, 1, 0, 100, 1, 'op-1', 'm-1'), pg_temp.moves(15, 1501, 1, 1, 200, 1, 'op-2', 'm-2'),
        pg_temp.moves(15, 1502, 1, 0, 300, 1, 'op-3', 'm-3'), pg_temp.moves(15, 1503, 1, 0, 50, 1, 'op-4', 'm-4'),
        pg_temp.moves(15, 1504, 1, 0, 400, 1, 'op-5', 'm-5'), pg_temp.moves(15, 1505, 1, 0, 70, 1, 'op-6', 'm-6');
    PERFORM pg_temp.filed(240, ARRAY[('captured', 100, 'm-1', 5, NULL, NULL), ('captured', 200, 'm-2', NULL, NULL, NULL),
        ('captured', 300, 'm-3', 6, NULL, NULL), ('captured', 400, 'm-5', 7, NULL, NULL)]::pg_temp.line[], delay => 0, of_merchant => 15);
    ASSERT pg_temp.open(15) = 'missingThere 50 EUR m-4, missingThere 70 EUR m-6', pg_temp.open(15);
    PERFORM pg_temp.adjust_all(15);
    CREATE SCHEMA copy;
    CREATE TABLE copy.movement (LIKE paystream.movement INCLUDING ALL);
    INSERT INTO copy.movement SELECT * FROM paystream.movement;
    UPDATE copy.movement SET number = 10 - number WHERE stream = pg_temp.id(1501);
    UPDATE copy.movement SET number = number - 9 WHERE stream = pg_temp.id(1501);
    UPDATE copy.movement SET number = 7 WHERE stream = pg_temp.id(1503);
    UPDATE copy.movement SET provider_reference = 'now ' || provider_reference
     WHERE stream IN (pg_temp.id(1502), pg_temp.id(1504), pg_temp.id(1505));
    PERFORM pg_temp.called(15, 1502, 'm-3');
    PERFORM paystream.settlement_carry('copy');
    DELETE FROM paystream.movement;
    INSERT INTO paystream.movement SELECT * FROM copy.movement;
    PERFORM paystream.settlement_carried();
    ASSERT pg_temp.matched(15) = '2 m-1 100, 3 m-2 200, 4 now m-3 300', pg_temp.matched(15);
    ASSERT (SELECT count(*) = 2 FROM paystream.settlement_match x WHERE x.merchant = 15 AND x.ended_act IS NOT NULL),
        'what is only numbered otherwise stays matched';
    ASSERT pg_temp.open(15) = 'missingHere -400 EUR 5, missingThere 70 EUR now m-6, missingThere 400 EUR now m-5', pg_temp.open(15);
    told := pg_temp.conserved(of_merchant => 15);
    ASSERT (SELECT sum(b.amount) = 18 FROM paystream.booked b WHERE b.merchant = 15 AND b.kind = 'fee'), 'no second fee';
    ASSERT (SELECT sum(e.amount) = -50 FROM paystream.settlement_entry e WHERE e.merchant = 15 AND e.kind = 'adjustment'),
        'what has its movement stays adjusted';
    ASSERT pg_temp.matched(14) <> '' AND pg_temp.matched(11) = '2 c-1 1000, 2 c-2 500, 2 c-4 700, 2 c-5 700', pg_temp.matched(11);
    PERFORM pg_temp.conserved(of_merchant => 11), pg_temp.conserved(of_merchant => 14);
    -- Once more, by the same version: nothing is otherwise.
    PERFORM paystream.settlement_carry('copy'), paystream.settlement_carried();
    ASSERT pg_temp.conserved(of_merchant => 15) = told, 'and nothing';
    PERFORM pg_temp.adjust_all(15);
    ASSERT (SELECT sum(b.amount) = 18 FROM paystream.booked b WHERE b.merchant = 15 AND b.kind = 'fee'),
        'what was matched once brings its fee once, adjusted or not';
END
$$;
