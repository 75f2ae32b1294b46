-- Reads whole streams, or what follows a version, in one snapshot; `unit` is the stream's number in the call.
CREATE OR REPLACE FUNCTION paystream.load_streams(merchants int[], streams uuid[], after int[])
RETURNS TABLE (unit int, ver int, pos bigint, type text, cause uuid, at timestamptz, data json)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
BEGIN
    RETURN QUERY
    SELECT u.o::int, e.ver, e.pos, e.type, e.cause, e.at, e.data
      FROM unnest(merchants, streams, after) WITH ORDINALITY AS u (m, s, a, o)
           JOIN paystream.stream x ON x.merchant = u.m AND x.id = u.s
           JOIN paystream.event e ON e.merchant = u.m AND e.stream = u.s AND e.ver > u.a AND e.pos > x.floor_pos
     ORDER BY u.o, e.ver;
END
$$;
