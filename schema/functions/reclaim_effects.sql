-- Makes claimed effects ready whose lease ended without a mark: nothing was sent, the same licence is claimed again.
CREATE OR REPLACE FUNCTION paystream.reclaim_effects() RETURNS int LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
DECLARE
    given_back int;
BEGIN
    WITH c AS MATERIALIZED (
        SELECT x.merchant, x.id FROM paystream.effect x
         WHERE x.state = 1 AND x.lease_until <= statement_timestamp()
         ORDER BY x.lease_until LIMIT 1000 FOR UPDATE SKIP LOCKED)
    UPDATE paystream.effect x SET state = 0, owner = NULL FROM c WHERE x.merchant = c.merchant AND x.id = c.id;
    GET DIAGNOSTICS given_back = ROW_COUNT;
    RETURN given_back;
END
$$;
