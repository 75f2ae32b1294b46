-- The inbox: enqueued commands are taken in their order and settled once; a key belongs to one command for ever.
\ir fixtures/units.sql
INSERT INTO paystream.merchant (name) VALUES ('shop');

CREATE TEMP TABLE given (number int, id uuid);

CREATE FUNCTION pg_temp.enqueue(number int, key text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO given SELECT number, paystream.enqueue('shop', key, 'payment.create', '{"mode": "sale"}')
$$;

CREATE FUNCTION pg_temp.given(number int) RETURNS uuid LANGUAGE sql AS
    $$ SELECT g.id FROM given g WHERE g.number = $1 $$;

-- Settles rows by number as inputs of one stream each; the key's input and the command's MAC are given.
CREATE FUNCTION pg_temp.settle(numbers int[], inputs uuid[], macs bytea[]) RETURNS void LANGUAGE sql AS $$
    SELECT paystream.settle_inbox('{}', '{}', '{}', '{}',
        ARRAY(SELECT pg_temp.given(n) FROM unnest(numbers) n), macs, ARRAY(SELECT 1 FROM unnest(numbers)),
        ARRAY(SELECT pg_temp.id(10 + n) FROM unnest(numbers) n), ARRAY(SELECT 1 FROM unnest(numbers)), inputs,
        ARRAY(SELECT 1 FROM unnest(numbers)), ARRAY(SELECT 'payment.create' FROM unnest(numbers)),
        ARRAY(SELECT '{}'::json FROM unnest(numbers)), ARRAY(SELECT '\x00'::bytea FROM unnest(numbers)),
        ARRAY(SELECT statement_timestamp() FROM unnest(numbers)))
$$;

CREATE FUNCTION pg_temp.told(number int, state text, code text DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    seen record;
BEGIN
    SELECT * INTO STRICT seen FROM paystream.outcome(pg_temp.given(number));
    ASSERT (seen.state, seen.code) IS NOT DISTINCT FROM (told.state, told.code), format('%s: %s', number, seen);
END
$$;

SELECT pg_temp.enqueue(n, k) FROM (VALUES (1, 'a'), (2, 'b'), (3, 'b'), (4, 'c'), (5, 'd')) t (n, k);

-- Oldest first, and gone when taken; what is postponed comes back behind the others, as it was.
DO $$
DECLARE
    first record;
    was timestamptz := (SELECT at FROM paystream.inbox WHERE id = pg_temp.given(1));
BEGIN
    SELECT * INTO STRICT first FROM paystream.take_inbox(1);
    ASSERT (first.id, first.key, first.name, first.body::text, first.merchant)
        = (pg_temp.given(1), 'a', 'payment.create', '{"mode": "sale"}', 1), format('taken: %s', first);
    ASSERT NOT EXISTS (SELECT FROM paystream.inbox WHERE id = pg_temp.given(1)), 'taken is gone';
    PERFORM paystream.postpone_inbox(ARRAY[first.id], ARRAY[first.merchant], ARRAY[first.key], ARRAY[first.name],
        ARRAY[first.body], ARRAY[first.at]);
    ASSERT (SELECT at = was FROM paystream.inbox WHERE id = pg_temp.given(1)), 'its age stays';
    ASSERT (SELECT array_agg(t.id) FROM paystream.take_inbox(100) t)
        = ARRAY(SELECT pg_temp.given(n) FROM unnest('{2,3,4,5,1}'::int[]) n), 'behind the others';
    ASSERT NOT EXISTS (SELECT FROM paystream.take_inbox(100)), 'nothing is left';
END
$$;

-- Of two commands under one key the first keeps it; the same command again is the same input.
DO $$
BEGIN
    PERFORM pg_temp.settle('{1,2,3}', ARRAY[pg_temp.id(101), pg_temp.id(102), pg_temp.id(102)],
        '{"\\x01","\\x02","\\x03"}');
    PERFORM pg_temp.told(1, 'admitted');
    PERFORM pg_temp.told(2, 'admitted');
    PERFORM pg_temp.told(3, 'refused', 'idempotency_conflict');
    ASSERT (SELECT input IS NULL AND mac IS NULL FROM paystream.inbox_outcome WHERE id = pg_temp.given(3)),
        'what was refused names no input';
    PERFORM pg_temp.settle('{4}', ARRAY[pg_temp.id(101)], '{"\\x01"}');
    PERFORM pg_temp.told(4, 'admitted');
    ASSERT (SELECT array_agg(id ORDER BY id) FROM paystream.input) = ARRAY[pg_temp.id(101), pg_temp.id(102)],
        'two commands, two inputs';
    ASSERT (SELECT mac = '\x02' AND version IS NULL FROM paystream.idempotency WHERE input = pg_temp.id(102)),
        'the key is the first one''s, and no version is promised before the decision';
    ASSERT (SELECT stream = pg_temp.id(11) FROM paystream.idempotency WHERE input = pg_temp.id(101)),
        'the resource is the first one''s';
END
$$;

-- A refusal is readable and becomes nothing.
DO $$
BEGIN
    PERFORM paystream.settle_inbox(ARRAY[pg_temp.given(5)], '{1}', '{amount_missing}', '{Say how much.}', '{}', '{}',
        '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}');
    PERFORM pg_temp.told(5, 'refused', 'amount_missing');
    ASSERT (SELECT count(*) = 2 FROM paystream.input), 'no input';
END
$$;

-- The decision gives the key its version, and the outcome its last word: done, or rejected with a reason.
DO $$
DECLARE
    held record;
BEGIN
    FOR held IN SELECT * FROM pg_temp.claim_mail('a', 60000000) LOOP
        IF held.stream = pg_temp.id(11) THEN
            PERFORM pg_temp.ends(0, held.stream, pg_temp.id(101), 0, '{x,y}', fence => held.fence);
        ELSE
            ASSERT (SELECT outcome = 0 FROM pg_temp.decide(held.stream, pg_temp.id(102), 0, fence => held.fence,
                code => 'account_unknown'));
        END IF;
    END LOOP;
    PERFORM pg_temp.told(1, 'done');
    PERFORM pg_temp.told(2, 'rejected', 'account_unknown');
    PERFORM pg_temp.told(4, 'done');
    ASSERT (SELECT (o.stream, o.version) = (pg_temp.id(11), 2) FROM paystream.outcome(pg_temp.given(4)) o),
        'the resource at the version that the command committed';
    ASSERT (SELECT version = 2 AND mac = '\x01' FROM paystream.idempotency WHERE input = pg_temp.id(101)),
        'the key keeps the command and the version';
END
$$;

-- For ever: later events of the stream move no key, and a key that another command holds refuses this one.
DO $$
BEGIN
    PERFORM pg_temp.ends(0, pg_temp.id(11), pg_temp.id(103), 2, '{z}');
    ASSERT (SELECT version = 2 FROM paystream.idempotency WHERE input = pg_temp.id(101)), 'the version stands';
    PERFORM pg_temp.enqueue(6, 'a');
    PERFORM paystream.take_inbox(100);
    PERFORM pg_temp.settle('{6}', ARRAY[pg_temp.id(101)], '{"\\xff"}');
    PERFORM pg_temp.told(6, 'refused', 'idempotency_conflict');
    ASSERT (SELECT mac = '\x01' FROM paystream.idempotency WHERE input = pg_temp.id(101)), 'the key stands';
    ASSERT NOT EXISTS (SELECT FROM paystream.undecided), 'nothing waits';
    -- Nor does a row that names the input of another command tell what became of that one.
    INSERT INTO given VALUES (7, gen_random_uuid());
    INSERT INTO paystream.inbox_outcome (id, merchant, input, mac)
        VALUES (pg_temp.given(7), 1, pg_temp.id(101), '\xfe');
    PERFORM pg_temp.told(7, 'refused', 'idempotency_conflict');
END
$$;

-- It goes round the merchants, whoever enqueued first; each one's commands keep their order.
INSERT INTO paystream.merchant (name) VALUES ('rival'), ('third');
CREATE FUNCTION pg_temp.fill(merchant text, keys int4range) RETURNS void LANGUAGE sql AS $$
    SELECT paystream.enqueue(merchant, n::text, 'payment.create', '{}') FROM generate_series(lower(keys), upper(keys) - 1) n
$$;
CREATE FUNCTION pg_temp.taken(most int, after text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(m.name || ':' || t.keys, ' ' ORDER BY m.id) FROM (
        SELECT merchant, string_agg(key, ',') FROM paystream.take_inbox(most,
            coalesce((SELECT id FROM paystream.merchant WHERE name = after), 0)) GROUP BY merchant) t (merchant, keys)
      JOIN paystream.merchant m ON m.id = t.merchant
$$;
SELECT pg_temp.fill('shop', '[1,200)');
SELECT pg_temp.fill('rival', '[1,3)'), pg_temp.fill('third', '[1,12)');
DO $$
BEGIN
    ASSERT pg_temp.taken(1) = 'shop:1' AND pg_temp.taken(1, 'shop') = 'rival:1' AND pg_temp.taken(1, 'rival') = 'third:1'
       AND pg_temp.taken(1, 'third') = 'shop:2', 'the round goes on behind the last';
    ASSERT pg_temp.taken(9) = 'shop:3,4,5 rival:2 third:2,3,4,5,6', 'what one leaves the others get';
    ASSERT pg_temp.taken(7, 'shop') = 'shop:6,7,8 third:7,8,9,10', 'whoever has nothing takes no part';
    ASSERT pg_temp.taken(1000) LIKE 'shop:9,10,11,%,106,107 third:11', 'a page at most';
END
$$;
