-- Lists up to 200 effects past their send window that were never marked as sending and that no living claim holds.
CREATE OR REPLACE FUNCTION paystream.expired_effects()
RETURNS TABLE (merchant int, stream_kind smallint, stream uuid, id uuid, fence bigint, ordinal int, account uuid)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
    RETURN QUERY
    SELECT t.merchant, t.stream_kind, t.stream, t.id, t.fence, t.ordinal, t.account FROM (
        (SELECT * FROM paystream.effect x
          WHERE x.state = 0 AND x.not_before <= statement_timestamp() AND x.send_before <= statement_timestamp()
          ORDER BY x.not_before LIMIT 200)
        UNION ALL
        (SELECT * FROM paystream.effect x
          WHERE x.state = 1 AND x.lease_until <= statement_timestamp() AND x.send_before <= statement_timestamp()
          ORDER BY x.lease_until LIMIT 200)) t
     ORDER BY t.send_before LIMIT 200;
END
$$;
