-- Reads a page of the log behind a position, and the horizon that it was read under; the last row has the horizon alone.
--
-- The horizon comes first, and the page in a statement after it, which sees whatever had appeared up to there. Rows of one
-- position are on one page. No kinds stand for all.
CREATE OR REPLACE FUNCTION paystream.read_events(kinds int[], after_pos bigint, most bigint)
RETURNS TABLE (merchant int, stream_kind smallint, stream uuid, ver int, pos bigint, type text, cause uuid,
               at timestamptz, data json, horizon bigint)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
    horizon := paystream.horizon();
    IF horizon > after_pos THEN
        RETURN QUERY
        SELECT e.merchant, e.stream_kind, e.stream, e.ver, e.pos, e.type, e.cause, e.at, e.data, NULL::bigint
          FROM paystream.event e
         WHERE e.pos > after_pos AND e.pos <= read_events.horizon
           AND (cardinality(kinds) = 0 OR e.stream_kind = ANY (kinds))
         ORDER BY e.pos FETCH FIRST most ROWS WITH TIES;
    END IF;
    RETURN QUERY SELECT NULL::int, NULL::smallint, NULL::uuid, NULL::int, NULL::bigint, NULL, NULL::uuid,
        NULL::timestamptz, NULL::json, read_events.horizon;
END
$$;
