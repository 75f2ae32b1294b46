-- Admits what became of dispatches. Evidence is always admitted; the fence only guards the effect row's state.
CREATE OR REPLACE FUNCTION paystream.observe(
    effect_merchants int[], effects uuid[], fences bigint[],
    merchants int[], streams uuid[], stream_kinds int[], ids uuid[], kinds int[], names text[], metas json[],
    bodies bytea[], received timestamptz[])
RETURNS void LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
BEGIN
    -- Inputs and mailboxes before effects, as `commit` takes them.
    PERFORM paystream.admit(merchants, streams, stream_kinds, ids, kinds, names, metas, bodies, received);
    PERFORM FROM unnest(effect_merchants, effects, fences) AS u (m, e, f)
            JOIN paystream.effect x ON x.merchant = u.m AND x.id = u.e AND x.fence = u.f
      ORDER BY x.merchant, x.id FOR UPDATE OF x;
    UPDATE paystream.effect x SET state = 3
      FROM unnest(effect_merchants, effects, fences) AS u (m, e, f)
     WHERE x.merchant = u.m AND x.id = u.e AND x.fence = u.f;
END
$$;
