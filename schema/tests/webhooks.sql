-- Webhooks: an endpoint is sent what lies behind its beginning, each event once, and no earlier one of a resource is overtaken.
BEGIN;

-- Endpoint 1 of merchant 1 begins at position 10.
INSERT INTO paystream.stream (merchant, id, kind, ver, floor_pos) VALUES (1, md5('1')::uuid, 10, 1, 9), (2, md5('2')::uuid, 10, 1, 9);
INSERT INTO paystream.event (pos, merchant, ver, stream_kind, stream, cause, type, data)
VALUES (10, 1, 1, 10, md5('1')::uuid, md5('c')::uuid, 'x', '{}'), (10, 2, 1, 10, md5('2')::uuid, md5('c')::uuid, 'x', '{}');

CREATE FUNCTION pg_temp.event(at bigint, of_merchant int, of_stream text, of_type text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO paystream.public_event (merchant, position, number, type, kind, stream, version, sequence, occurred_at, body)
    VALUES (of_merchant, at, 0, of_type, 1, md5(of_stream)::uuid, at::int, 1, now(), convert_to(of_type || at, 'UTF8'));
    INSERT INTO paystream.checkpoint (name, version, pos) VALUES ('public_event', 1, at) ON CONFLICT (name) DO UPDATE SET pos = at;
$$;
SELECT pg_temp.event(5, 1, 'a', 'payment.created'), pg_temp.event(11, 1, 'a', 'payment.created'), pg_temp.event(12, 1, 'a', 'payment.captured'),
    pg_temp.event(13, 1, 'b', 'payment.created'), pg_temp.event(14, 1, 'b', 'refund.failed'), pg_temp.event(15, 2, 'z', 'payment.created');

-- What is due is gathered, and as much of it taken.
CREATE FUNCTION pg_temp.due(node text, types text, ordered boolean, room int) RETURNS int LANGUAGE sql AS $$
    SELECT coalesce(sum(g.due), 0)::int
      FROM paystream.webhook_gather(node, ARRAY[1], ARRAY[md5('1')::uuid], ARRAY[types], ARRAY[ordered], ARRAY[room]) g;
$$;
CREATE FUNCTION pg_temp.taken(node text, types text, ordered boolean, room int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    found int := pg_temp.due(node, types, ordered, room);
    told text;
    sent int;
BEGIN
    SELECT coalesce(string_agg(convert_from(t.body, 'UTF8'), ' ' ORDER BY t.position), ''), count(*) INTO told, sent
      FROM paystream.webhook_take(node, 25000000, ARRAY[1], ARRAY[md5('1')::uuid], ARRAY[ordered], ARRAY[room]) t;
    ASSERT sent = found, format('%s are due and %s were taken', found, sent);
    RETURN told;
END
$$;
CREATE FUNCTION pg_temp.record(at bigint, attempt int, failed text, next_us bigint) RETURNS void LANGUAGE sql AS $$
    SELECT paystream.webhook_record(ARRAY[1], ARRAY[md5('1')::uuid], ARRAY[at], ARRAY[0::smallint], ARRAY[attempt], ARRAY[now()], ARRAY[7],
        ARRAY[200::smallint], ARRAY[failed], ARRAY['\x68'::bytea], ARRAY[next_us]);
$$;

DO $$
BEGIN
    ASSERT (SELECT count(*) = 2 FROM paystream.webhook_claim('one', 10000000, 10)), 'both are free';
    ASSERT (SELECT count(*) = 0 FROM paystream.webhook_claim('two', 10000000, 10)), 'another node has none';
    -- It goes again; how nodes share comes below.
    DELETE FROM paystream.webhook_node WHERE owner = 'two';
    ASSERT (SELECT count(*) = 2 FROM paystream.webhook_claim('one', 10000000, 10)), 'it keeps them';
    ASSERT pg_temp.taken('two', '', false, 10) = '', 'who has no lease takes nothing';
    ASSERT pg_temp.taken('one', 'payment.created payment.captured', true, 10) = 'payment.created11 payment.created13',
        'the first of each resource, of the types that are wanted, behind the beginning';
    ASSERT pg_temp.taken('one', 'payment.created payment.captured', true, 10) = '', 'what runs is not taken twice';
    PERFORM pg_temp.record(11, 1, NULL, NULL);
    ASSERT pg_temp.taken('one', 'payment.created payment.captured', true, 10) = 'payment.captured12', 'then the next one';
    PERFORM pg_temp.record(12, 1, 'status', 60000000);
    ASSERT pg_temp.taken('one', 'payment.created payment.captured', true, 10) = '', 'it waits';
    ASSERT (SELECT failing_since IS NOT NULL FROM paystream.webhook_cursor WHERE merchant = 1);
    -- An attempt that has a row changes nothing.
    PERFORM pg_temp.record(12, 1, NULL, NULL);
    ASSERT (SELECT state = 1 AND attempts = 1 FROM paystream.webhook_delivery WHERE merchant = 1 AND position = 12);
    PERFORM pg_temp.record(12, 2, 'status', NULL);
    ASSERT (SELECT state = 3 AND attempts = 2 FROM paystream.webhook_delivery WHERE merchant = 1 AND position = 12), 'given up';
    ASSERT (SELECT count(*) = 3 FROM paystream.webhook_attempt WHERE merchant = 1), 'each attempt once';
    -- One that answers again is sent what waits, and what runs is left alone.
    PERFORM pg_temp.event(16, 1, 'c', 'payment.created');
    PERFORM pg_temp.event(17, 1, 'd', 'payment.created');
    PERFORM pg_temp.event(18, 1, 'e', 'payment.created');
    PERFORM pg_temp.taken('one', 'payment.created', false, 10);
    PERFORM pg_temp.record(16, 1, 'status', 3600000000);
    PERFORM pg_temp.record(17, 1, NULL, NULL);
    ASSERT (SELECT next_at <= statement_timestamp() FROM paystream.webhook_delivery WHERE merchant = 1 AND position = 16);
    ASSERT (SELECT next_at > statement_timestamp() FROM paystream.webhook_delivery WHERE merchant = 1 AND position = 18);
    ASSERT (SELECT failing_since IS NULL FROM paystream.webhook_cursor WHERE merchant = 1);
    PERFORM pg_temp.record(18, 1, NULL, NULL);
    PERFORM pg_temp.record(16, 2, NULL, NULL);
    -- Asked for once more, by the merchant's own events alone.
    ASSERT (SELECT asked = 1 AND position = 12 FROM paystream.webhook_redeliver(1, md5('1')::uuid, 12, 0::smallint, 12, 0::smallint, '{}', 10));
    ASSERT (SELECT asked = 0 FROM paystream.webhook_redeliver(1, md5('1')::uuid, 15, 0::smallint, 15, 0::smallint, '{}', 10));
    ASSERT pg_temp.taken('one', '', true, 10) = 'payment.captured12';
    ASSERT (SELECT earlier = 2 FROM paystream.webhook_delivery WHERE merchant = 1 AND position = 12);
    ASSERT (SELECT count(*) = 0 FROM paystream.webhook_delivery WHERE merchant = 1 AND position IN (5, 15)), 'neither before it nor another''s';
    PERFORM pg_temp.record(12, 3, NULL, NULL);
    PERFORM pg_temp.record(13, 1, NULL, NULL);
    -- What has nothing due is left out.
    ASSERT pg_temp.due('one', '', true, 10) = 0;
    ASSERT (SELECT count(*) = 0 FROM paystream.webhook_gather(
        'one', ARRAY[1], ARRAY[md5('1')::uuid], ARRAY[''], ARRAY[false], ARRAY[96]));
END
$$;

-- Test events: tried once, so many at a time, and nothing against the endpoint.
DO $$
BEGIN
    FOR n IN 1..10 LOOP
        ASSERT paystream.webhook_ping(1, md5('1')::uuid, md5('p' || n)::uuid, 1, 0::smallint, 'webhook.ping', 'ping', 10);
    END LOOP;
    ASSERT paystream.webhook_ping(1, md5('1')::uuid, md5('p1')::uuid, 1, 0::smallint, 'webhook.ping', 'ping', 10), 'the same once more';
    ASSERT NOT paystream.webhook_ping(1, md5('1')::uuid, md5('p11')::uuid, 1, 0::smallint, 'webhook.ping', 'ping', 10), 'and no more';
    ASSERT pg_temp.due('one', 'payment.created', true, 96) = 10;
    PERFORM paystream.webhook_take('one', 25000000, ARRAY[1], ARRAY[md5('1')::uuid], ARRAY[true], ARRAY[96]);
    PERFORM paystream.webhook_record(ARRAY[1], ARRAY[md5('1')::uuid], ARRAY[d.position], ARRAY[d.number], ARRAY[1], ARRAY[now()], ARRAY[7],
            ARRAY[500::smallint], ARRAY['status'], ARRAY['\x68'::bytea], ARRAY[NULL::bigint])
       FROM paystream.webhook_delivery d WHERE d.merchant = 1 AND d.position < 0;
    ASSERT (SELECT bool_and(state = 3) FROM paystream.webhook_delivery WHERE merchant = 1 AND position < 0), 'they are over';
    ASSERT (SELECT failing_since IS NULL FROM paystream.webhook_cursor WHERE merchant = 1), 'and the endpoint does not fail';
END
$$;

-- So many wait and no more, however they came.
DO $$
DECLARE
    made record;
BEGIN
    PERFORM pg_temp.event(g, 1, 'many' || g, 'payment.created') FROM generate_series(1000, 3999) g;
    FOR n IN 1..8 LOOP PERFORM pg_temp.due('one', '', false, 96); END LOOP;
    ASSERT (SELECT count(*) = 2000 FROM paystream.webhook_delivery WHERE merchant = 1 AND state = 1), 'the feed waits';
    SELECT * INTO made FROM paystream.webhook_redeliver(1, md5('1')::uuid, 11, 0::smallint, NULL, NULL, '{}', 1000);
    ASSERT made.asked IS NULL AND made.is_cut, 'there is room for none';
    UPDATE paystream.webhook_delivery SET state = 2 WHERE merchant = 1 AND position BETWEEN 1000 AND 1299;
    SELECT * INTO made FROM paystream.webhook_redeliver(1, md5('1')::uuid, 1000, 0::smallint, NULL, NULL, '{}', 1000);
    ASSERT made.asked = 300 AND made.position = 1299 AND made.is_cut, 'as many as there is room for';
    ASSERT (SELECT count(*) = 2000 FROM paystream.webhook_delivery WHERE merchant = 1 AND state = 1);
    ASSERT (SELECT waiting = 2000 FROM paystream.queue_figures(10000) WHERE queue = 'webhooks');
END
$$;

-- One that is disabled is nobody's until its stream goes on, and an operator's where nobody asked for it.
DO $$
BEGIN
    PERFORM paystream.webhook_rest('one', ARRAY[1, 2], ARRAY[md5('1')::uuid, md5('2')::uuid], ARRAY[1, 1], ARRAY['failing', NULL],
        ARRAY[now(), now()]);
    ASSERT (SELECT count(*) = 0 FROM paystream.webhook_claim('one', 10000000, 10));
    ASSERT (SELECT count(*) = 0 FROM paystream.webhook_claim('two', 10000000, 10));
    ASSERT (SELECT array_agg(id) = ARRAY[md5('1')::uuid] FROM paystream.open_matters(1, 10, 0) WHERE what = 'webhook');
    ASSERT (SELECT count(*) = 0 FROM paystream.open_matters(2, 10, 0) WHERE what = 'webhook'), 'it was asked for';
    ASSERT (SELECT f.found = 1 FROM paystream.owed_figures(10) f WHERE f.what = 'webhooks');
    ASSERT (SELECT waiting = 0 FROM paystream.queue_figures(10000) WHERE queue = 'webhooks'), 'nothing is sent to them';
    UPDATE paystream.stream SET ver = 2 WHERE id = md5('1')::uuid;
    ASSERT (SELECT array_agg(endpoint) = ARRAY[md5('1')::uuid] AND max(version) = 2 FROM paystream.webhook_claim('two', 10000000, 10));
    ASSERT (SELECT count(*) = 0 FROM paystream.open_matters(1, 10, 0) WHERE what = 'webhook');
END
$$;

-- However many there are, each is held: so many new ones at a time.
INSERT INTO paystream.stream (merchant, id, kind, ver, floor_pos) SELECT 3, md5('m' || g)::uuid, 10, 1, 9 FROM generate_series(1, 2500) g;
INSERT INTO paystream.event (pos, merchant, ver, stream_kind, stream, cause, type, data)
SELECT 5000 + g, 3, 1, 10, md5('m' || g)::uuid, md5('c')::uuid, 'x', '{}' FROM generate_series(1, 2500) g;
DO $$
BEGIN
    DELETE FROM paystream.webhook_node;
    ASSERT (SELECT count(*) = 2000 FROM paystream.webhook_claim('three', 10000000, 2000));
    ASSERT (SELECT count(*) = 2500 FROM paystream.webhook_claim('three', 10000000, 2000));
END
$$;

-- Nodes share them, to the last one: another holds one of the 2501, and is not asked for it.
DO $$
BEGIN
    ASSERT (SELECT count(*) = 0 FROM paystream.webhook_claim('four', 10000000, 2000)), 'all are held';
    ASSERT (SELECT count(*) = 1251 FROM paystream.webhook_claim('three', 10000000, 2000)), 'it gives back what is above its share';
    ASSERT (SELECT count(*) = 1249 FROM paystream.webhook_claim('four', 10000000, 2000)), 'and the other takes that';
    ASSERT (SELECT count(*) = 1251 FROM paystream.webhook_claim('three', 10000000, 2000)), 'nothing goes to and fro';
    ASSERT (SELECT count(*) = 1249 FROM paystream.webhook_claim('four', 10000000, 2000));
    -- A node that is seen no more leaves its leases behind, and its share.
    UPDATE paystream.webhook_node SET seen_until = now() - interval '1 second' WHERE owner = 'three';
    ASSERT (SELECT count(*) = 1249 FROM paystream.webhook_claim('four', 10000000, 2000)), 'its leases hold';
    ASSERT (SELECT count(*) = 1 FROM paystream.webhook_node), 'it is forgotten';
    UPDATE paystream.webhook_cursor SET lease_until = now() - interval '1 second' WHERE owner = 'three';
    ASSERT (SELECT count(*) = 2500 FROM paystream.webhook_claim('four', 10000000, 2000));
END
$$;

-- A place among a merchant's endpoints is taken before there is one.
INSERT INTO paystream.merchant (id, name) OVERRIDING SYSTEM VALUE VALUES (4, 'reserve');
INSERT INTO paystream.stream (merchant, id, kind, ver, floor_pos) VALUES (4, md5('r1')::uuid, 10, 2, 9), (4, md5('r2')::uuid, 10, 1, 9);
INSERT INTO paystream.event (pos, merchant, ver, stream_kind, stream, cause, type, data)
VALUES (9001, 4, 2, 10, md5('r1')::uuid, md5('c')::uuid, 'webhookEndpoint.removed.v1', '{}');
DO $$
BEGIN
    ASSERT paystream.webhook_reserve(4, md5('r3')::uuid, 2, 9), 'one was removed';
    ASSERT paystream.webhook_reserve(4, md5('r3')::uuid, 2, 9), 'the same once more';
    ASSERT NOT paystream.webhook_reserve(4, md5('r4')::uuid, 2, 9), 'the place is taken';
    ASSERT NOT paystream.webhook_reserve(4, md5('r4')::uuid, 9, 3), 'as many as it ever makes';
    UPDATE paystream.webhook_reservation SET at = at - interval '2 minutes';
    ASSERT paystream.webhook_reserve(4, md5('r4')::uuid, 2, 9), 'what was not made leaves its place';
END
$$;

ROLLBACK;
