-- Lists the oldest timers that are due, whosever they are: 0 machine, 1 business, by the server's clock or by the merchant's own.
CREATE OR REPLACE FUNCTION paystream.oldest_timers(most int)
RETURNS TABLE (merchant int, stream_kind smallint, stream uuid, clock int, at timestamptz)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
    RETURN QUERY
    SELECT * FROM (
        (SELECT x.merchant, x.stream_kind, x.stream, 0, x.machine FROM paystream.due x
          WHERE x.machine <= statement_timestamp() ORDER BY x.machine LIMIT most)
        UNION ALL
        (SELECT x.merchant, x.stream_kind, x.stream, 1, x.business FROM paystream.due x
          WHERE x.business <= statement_timestamp() AND NOT x.clocked ORDER BY x.business LIMIT most)
        UNION ALL
        (SELECT y.merchant, y.stream_kind, y.stream, 1, y.business
           FROM (SELECT k.merchant, k.at FROM paystream.merchant_clock k ORDER BY k.merchant) c
                CROSS JOIN LATERAL (
                    SELECT * FROM paystream.due x
                     WHERE x.merchant = c.merchant AND x.clocked AND x.business <= c.at
                     ORDER BY x.business LIMIT most) y
          LIMIT most)) t
    ORDER BY 5, 1, 3, 4 LIMIT most;
END
$$;
