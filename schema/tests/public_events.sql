-- Public events: each once, counted within their streams, and read in order from any place on.
BEGIN;

CREATE FUNCTION pg_temp.told(from_pos bigint, to_pos bigint, positions bigint[], numbers smallint[], streams int[], versions int[])
RETURNS boolean LANGUAGE sql AS $$
    SELECT paystream.public_event_apply(from_pos, to_pos, 1, array_fill(1, ARRAY[cardinality(positions)]), positions, numbers,
        array_agg(CASE WHEN p % 2 = 0 THEN 'payment.captured' ELSE 'payment.updated' END ORDER BY o),
        array_fill(1::smallint, ARRAY[cardinality(positions)]), array_agg(md5(s::text)::uuid ORDER BY o), versions,
        array_agg(ordinal ORDER BY o), array_agg(first ORDER BY o),
        array_fill(now(), ARRAY[cardinality(positions)]), array_fill('{"sequence":'::bytea, ARRAY[cardinality(positions)]),
        array_fill('}'::bytea, ARRAY[cardinality(positions)]))
      FROM (SELECT o, p, s, row_number() OVER (PARTITION BY s ORDER BY o) AS ordinal, min(v) OVER (PARTITION BY s) AS first
              FROM unnest(positions, streams, versions) WITH ORDINALITY AS u (p, s, v, o)) x
$$;

CREATE FUNCTION pg_temp.bodies(of_stream int) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(convert_from(body, 'UTF8'), ' ' ORDER BY version, number) FROM paystream.public_event
     WHERE stream = md5(of_stream::text)::uuid
$$;

-- What a page read says: the positions of its events, then where it ends.
CREATE FUNCTION pg_temp.page(after bigint, number int, of_types text[], most int, of_stream int DEFAULT NULL, scanned int DEFAULT 100,
    most_bytes int DEFAULT 1000, of_merchant int DEFAULT 1, known timestamptz DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(r.position || '.' || r.number || CASE WHEN r.body IS NULL THEN ' end' ELSE '' END, ' ' ORDER BY o)
      FROM paystream.read_public_events(of_merchant, after, number::smallint, known, md5(of_stream::text)::uuid, of_types, scanned, most, most_bytes)
           WITH ORDINALITY AS r (position, number, body, np, nn, log, epoch, kept, o)
$$;

DO $$
BEGIN
    ASSERT pg_temp.page(0, 0, '{}', 10) = '0.0 end', 'nothing is there';
    ASSERT pg_temp.told(0, 20, '{11,11,12}', '{0,1,0}', '{1,1,2}', '{3,3,1}');
    ASSERT NOT pg_temp.told(0, 20, '{11}', '{0}', '{1}', '{3}'), 'another follower was there first';
    ASSERT pg_temp.told(20, 30, '{21,22}', '{0,0}', '{1,2}', '{4,2}');
    ASSERT pg_temp.bodies(1) = '{"sequence":1} {"sequence":2} {"sequence":3}', pg_temp.bodies(1);
    ASSERT pg_temp.bodies(2) = '{"sequence":1} {"sequence":2}', pg_temp.bodies(2);
    -- A page that broke off in the middle is written again.
    UPDATE paystream.checkpoint SET pos = 20 WHERE name = 'public_event';
    ASSERT pg_temp.told(20, 40, '{21,22,31}', '{0,0,0}', '{1,2,1}', '{4,2,5}');
    ASSERT pg_temp.bodies(1) = '{"sequence":1} {"sequence":2} {"sequence":3} {"sequence":4}', pg_temp.bodies(1);

    ASSERT pg_temp.page(0, 0, '{}', 10) = '11.0 11.1 12.0 21.0 22.0 31.0 31.0 end', pg_temp.page(0, 0, '{}', 10);
    ASSERT pg_temp.page(11, 0, '{}', 2) = '11.1 12.0 12.0 end', pg_temp.page(11, 0, '{}', 2);
    ASSERT pg_temp.page(31, 0, '{}', 2) = '31.0 end';
    -- What a filter passes over is behind the reader.
    ASSERT pg_temp.page(0, 0, '{payment.captured}', 10) = '12.0 22.0 31.0 end', pg_temp.page(0, 0, '{payment.captured}', 10);
    ASSERT pg_temp.page(0, 0, '{payment.captured}', 10, scanned => 2) = '11.1 end', 'a page looks at so many';
    ASSERT pg_temp.page(0, 0, '{}', 10, 2) = '12.0 22.0 31.0 end', 'one stream';
    ASSERT pg_temp.page(0, 0, '{}', 1, 2) = '12.0 12.0 end';
    ASSERT pg_temp.page(0, 0, '{}', 10, most_bytes => 20) = '11.0 11.1 11.1 end', 'a page of so many bytes';
    ASSERT pg_temp.page(0, 0, '{}', 10, of_merchant => 2) = '0.0 end', 'another merchant has none';
    ASSERT pg_temp.page(NULL, NULL, '{}', 10) = '31.0 end', 'now';
    -- Streams that are written one by one come behind others that follow them in the log.
    UPDATE paystream.checkpoint SET pos = 20 WHERE name = 'public_event';
    ASSERT pg_temp.page(11, 0, '{}', 10) = '11.1 12.0 12.0 end', 'what may have holes is not read yet';
    ASSERT pg_temp.page(0, 0, '{}', 10, 2) = '12.0 12.0 end', pg_temp.page(0, 0, '{}', 10, 2);
    ASSERT pg_temp.page(NULL, NULL, '{}', 10) = '12.0 end', 'nor is now behind it';
    UPDATE paystream.checkpoint SET pos = 40 WHERE name = 'public_event';
END
$$;

-- An epoch that lost what was told tells no event to who was behind it.
DO $$
DECLARE
    before timestamptz := (SELECT max(begun_at) FROM paystream.recovery_epoch);
BEGIN
    UPDATE paystream.recovery_epoch SET log_end = 0;
    PERFORM paystream.begin_recovery('ann', 'a test', false, 7);
    UPDATE paystream.recovery_epoch SET log_end = 21 WHERE number = (SELECT max(number) FROM paystream.recovery_epoch);
    ASSERT (SELECT max(kept) = 21 FROM paystream.read_public_events(1, 11, 0::smallint, before, NULL, '{}', 10, 10, 1000));
    ASSERT pg_temp.page(11, 1, '{}', 10, known => before) = '12.0 21.0 22.0 31.0 31.0 end', 'nothing of his was lost';
    ASSERT pg_temp.page(22, 0, '{}', 10, known => before) = '22.0 end', 'he has heard what is lost';
    ASSERT (SELECT bool_and(kept IS NULL) FROM paystream.read_public_events(1, 22, 0::smallint,
        (SELECT max(begun_at) FROM paystream.recovery_epoch), NULL, '{}', 10, 10, 1000)), 'he knows this epoch';
END
$$;

ROLLBACK;
