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

CREATE FUNCTION pg_temp.taken(node text, types text, ordered boolean, room int) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce(string_agg(convert_from(t.body, 'UTF8'), ' ' ORDER BY t.position), '')
      FROM paystream.webhook_take(node, 25000000, ARRAY[1], ARRAY[md5('1')::uuid], ARRAY[types], ARRAY[ordered], ARRAY[room]) t;
$$;
CREATE FUNCTION pg_temp.record(at bigint, attempt int, failed text, next_us bigint) RETURNS void LANGUAGE sql AS $$
    SELECT paystream.webhook_record(ARRAY[1], ARRAY[md5('1')::uuid], ARRAY[at], ARRAY[0::smallint], ARRAY[attempt], ARRAY[now()], ARRAY[7],
        ARRAY[200::smallint], ARRAY[failed], ARRAY['\x68'::bytea], ARRAY[next_us]);
$$;

DO $$
BEGIN
    ASSERT (SELECT count(*) = 2 FROM paystream.webhook_claim('one', 10000000, 10)), 'both are free';
    ASSERT (SELECT count(*) = 0 FROM paystream.webhook_claim('two', 10000000, 10)), 'another node has none';
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
END
$$;

ROLLBACK;
