-- Lists up to 200 effects past their send window that were never marked as sending and that no living claim holds.
--
-- Where the log has come to another cluster, marks may be lost, and nothing is listed before an epoch has begun (`epoch_here`).
CREATE OR REPLACE FUNCTION paystream.expired_effects()
RETURNS TABLE (merchant int, stream_kind smallint, stream uuid, id uuid, fence bigint, ordinal int, account uuid)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
    PERFORM paystream.epoch_here();
    RETURN QUERY
    SELECT x.merchant, x.stream_kind, x.stream, x.id, x.fence, x.ordinal, x.account FROM paystream.effect x
     WHERE x.state < 2 AND x.send_before <= statement_timestamp()
       AND (x.state = 0 OR x.lease_until <= statement_timestamp())
     ORDER BY x.send_before LIMIT 200;
END
$$;
