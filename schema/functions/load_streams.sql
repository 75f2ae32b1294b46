-- Reads whole streams, or what follows a version, in one snapshot, at most so many events of each; `unit` is the stream's
-- number in the call.
--
-- An id under another kind than its stream's names no stream. Each event tells under which kind it was written.
-- It had four arguments; that one goes with what takes its place, so that no running node misses it.
DROP FUNCTION IF EXISTS paystream.load_streams(int[], int[], uuid[], int[]);
CREATE OR REPLACE FUNCTION paystream.load_streams(merchants int[], stream_kinds int[], streams uuid[], after int[],
    most int DEFAULT NULL)
RETURNS TABLE (unit int, ver int, pos bigint, type text, cause uuid, at timestamptz, data json, kind smallint)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
    RETURN QUERY
    SELECT u.o::int, e.ver, e.pos, e.type, e.cause, e.at, e.data, e.stream_kind
      FROM unnest(merchants, stream_kinds, streams, after) WITH ORDINALITY AS u (m, k, s, a, o)
           CROSS JOIN LATERAL (
               SELECT y.floor_pos FROM paystream.stream y
                WHERE y.merchant = u.m AND y.id = u.s AND y.kind = u.k OFFSET 0) x
           CROSS JOIN LATERAL (
               SELECT y.* FROM paystream.event y
                WHERE y.merchant = u.m AND y.stream = u.s AND y.ver > u.a AND y.pos > x.floor_pos
                ORDER BY y.ver LIMIT most) e
     ORDER BY u.o, e.ver;
END
$$;
