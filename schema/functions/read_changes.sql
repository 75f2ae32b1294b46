-- Reads which streams a page of the log behind a position is about: of each the versions of its first and last event there, how many
-- there are, and the position of the last. The last row has the horizon alone. Pages are those of `read_events`.
CREATE OR REPLACE FUNCTION paystream.read_changes(kinds int[], after_pos bigint, most bigint)
RETURNS TABLE (merchant int, stream_kind smallint, stream uuid, first_ver int, last_ver int, events bigint, last_pos bigint,
               horizon bigint)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
    horizon := paystream.horizon();
    IF horizon > after_pos THEN
        RETURN QUERY
        SELECT p.merchant, p.stream_kind, p.stream, min(p.ver), max(p.ver), count(*), max(p.pos), NULL::bigint
          FROM (SELECT e.merchant, e.stream_kind, e.stream, e.ver, e.pos
                  FROM paystream.event e
                 WHERE e.pos > after_pos AND e.pos <= read_changes.horizon
                   AND (cardinality(kinds) = 0 OR e.stream_kind = ANY (kinds))
                 ORDER BY e.pos FETCH FIRST most ROWS WITH TIES) p
         GROUP BY p.merchant, p.stream_kind, p.stream;
    END IF;
    RETURN QUERY SELECT NULL::int, NULL::smallint, NULL::uuid, NULL::int, NULL::int, NULL::bigint, NULL::bigint,
        read_changes.horizon;
END
$$;
