-- Admits what became of dispatches. Evidence is always admitted; the fence only guards the effect row's state.
CREATE OR REPLACE FUNCTION paystream.observe(
    effect_merchants int[], effects uuid[], fences bigint[],
    merchants int[], streams uuid[], stream_kinds int[], ids uuid[], kinds int[], names text[], metas json[],
    bodies bytea[], received timestamptz[])
RETURNS void LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    r record;
BEGIN
    -- Inputs and mailboxes before effects, as `commit` takes them.
    PERFORM paystream.admit(merchants, streams, stream_kinds, ids, kinds, names, metas, bodies, received);
    FOR r IN SELECT * FROM unnest(effect_merchants, effects, fences) AS u (m, e, f) ORDER BY u.m, u.e LOOP
        UPDATE paystream.effect x SET state = 3 WHERE x.merchant = r.m AND x.id = r.e AND x.fence = r.f;
    END LOOP;
END
$$;
