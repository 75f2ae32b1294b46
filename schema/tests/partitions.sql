-- Partitions of the log: made ahead, without holes, so that an append always has its place.
\ir fixtures/units.sql

CREATE FUNCTION pg_temp.bounds() RETURNS text[] LANGUAGE sql AS $$
    SELECT array_agg(format('%s..%s', m[1], m[2]) ORDER BY m[1]::bigint)
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid,
           regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \(''(\d+)''\) TO \(''(\d+)''\)') m
     WHERE i.inhparent = 'paystream.event'::regclass
$$;

-- Appends one event and answers where it went.
CREATE FUNCTION pg_temp.append(stream int, input int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_temp.ends(0, pg_temp.id(stream), pg_temp.id(input), 0, '{x}');
    RETURN (SELECT tableoid::regclass FROM paystream.event e WHERE e.cause = pg_temp.id(input));
END
$$;

-- A migrated log has its first partitions; asking again makes none.
DO $$
BEGIN
    ASSERT pg_temp.bounds() = '{0..20000000,20000000..40000000,40000000..60000000}', pg_temp.bounds()::text;
    ASSERT paystream.extend_log() = 0, 'nothing is missing';
    ASSERT pg_temp.append(1, 101) = 'paystream.event_0', 'the first partition';
END
$$;

-- As the log grows, each partition is made long before it is needed, once.
SELECT setval('paystream.pos_seq', 19999998);
DO $$
BEGIN
    ASSERT paystream.extend_log() = 0, 'two are ahead still';
    -- The input takes the last position of the first partition, its event the first one of the second.
    ASSERT pg_temp.append(2, 102) = 'paystream.event_20000000', 'appends go over the edge';
    ASSERT paystream.extend_log() = 1 AND paystream.extend_log() = 0, 'one more, once';
    ASSERT (pg_temp.bounds())[4] = '60000000..80000000', 'it follows the last one without a hole';
END
$$;

-- A log that ran far ahead gets all that it lacks; without one an append fails, and nothing of it stays.
SELECT setval('paystream.pos_seq', 130000000);
DO $$
BEGIN
    BEGIN
        PERFORM pg_temp.append(3, 103);
        RAISE 'an event without a partition was appended';
    EXCEPTION WHEN check_violation THEN
        ASSERT NOT EXISTS (SELECT FROM paystream.stream WHERE id = pg_temp.id(3)), 'nothing was written';
    END;
    ASSERT paystream.extend_log() = 5, 'what lacked and two ahead';
    ASSERT (pg_temp.bounds())[9] = '160000000..180000000' AND cardinality(pg_temp.bounds()) = 9, 'without a hole';
    ASSERT pg_temp.append(3, 103) = 'paystream.event_120000000', 'it has its place now';
END
$$;

-- Every partition has the keys, defaults and settings of the first; no check is left that would slow an insert.
DO $$
DECLARE
    part regclass;
BEGIN
    FOR part IN SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = 'paystream.event'::regclass LOOP
        ASSERT (SELECT count(*) = 2 FROM pg_index x WHERE x.indrelid = part AND x.indisvalid), format('%s: indexes', part);
        ASSERT EXISTS (SELECT FROM pg_index x WHERE x.indrelid = part AND x.indisprimary), format('%s: key', part);
        ASSERT NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conrelid = part AND c.contype = 'c'),
            format('%s: checks', part);
        ASSERT (SELECT 'autovacuum_analyze_scale_factor=0.01' = ANY (c.reloptions) FROM pg_class c WHERE c.oid = part),
            format('%s: settings', part);
    END LOOP;
END
$$;

-- A stream knows where it began, so that loading it may skip what is older.
DO $$
BEGIN
    ASSERT (SELECT floor_pos >= 130000000 FROM paystream.stream WHERE id = pg_temp.id(3)), 'its floor is where it began';
    ASSERT (SELECT array_agg(ver || type) FROM paystream.load_streams('{1}', '{1}', ARRAY[pg_temp.id(3)], '{0}')) = '{1x}',
        'loaded';
END
$$;
