-- Makes up to 200 claimed effects ready whose lease ended without a mark: nothing was sent, the same licence is claimed again.
CREATE OR REPLACE FUNCTION paystream.reclaim_effects() RETURNS int LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    given_back int := 0;
    r record;
BEGIN
    FOR r IN
        SELECT x.merchant AS m, x.id AS i FROM paystream.effect x
         WHERE x.state = 1 AND x.lease_until <= statement_timestamp()
         ORDER BY x.lease_until LIMIT 200 FOR UPDATE SKIP LOCKED
    LOOP
        UPDATE paystream.effect x SET state = 0, fence = nextval('paystream.fence_seq'), owner = NULL
         WHERE x.merchant = r.m AND x.id = r.i;
        given_back := given_back + 1;
    END LOOP;
    RETURN given_back;
END
$$;
