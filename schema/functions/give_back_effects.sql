-- Makes claimed effects ready again under their licence, in the hands of nobody; a claim that was lost or marked is ignored.
CREATE OR REPLACE FUNCTION paystream.give_back_effects(merchants int[], ids uuid[], fences bigint[])
RETURNS void LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT * FROM unnest(merchants, ids, fences) AS u (m, i, f) ORDER BY u.m, u.i LOOP
        UPDATE paystream.effect x SET state = 0, fence = nextval('paystream.fence_seq'), owner = NULL
         WHERE x.merchant = r.m AND x.id = r.i AND x.fence = r.f AND x.state = 1;
    END LOOP;
END
$$;
