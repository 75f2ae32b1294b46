-- Admits what became of dispatches; the fence guards the effect row's state.
--
-- Evidence is always admitted. That nothing left is the word of whoever holds the fence: under one that is gone it leaves
-- nothing, because another sender may have the message on the wire.
CREATE OR REPLACE FUNCTION paystream.observe(
    effect_merchants int[], effects uuid[], fences bigint[],
    merchants int[], streams uuid[], stream_kinds int[], ids uuid[], kinds int[], names text[], metas json[],
    bodies bytea[], received timestamptz[])
RETURNS void LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    idle int[] := '{}';
    r record;
BEGIN
    -- A row that a word rests on stays locked until the word is kept. Rows before mailboxes is not the order of `commit`: a
    -- deadlock undoes one of the two, which is repeated.
    FOR r IN
        SELECT u.o, u.m, u.e, u.f FROM unnest(effect_merchants, effects, fences, names) WITH ORDINALITY AS u (m, e, f, name, o)
         WHERE u.name = 'effect.not_sent' ORDER BY u.m, u.e
    LOOP
        PERFORM FROM paystream.effect x WHERE x.merchant = r.m AND x.id = r.e AND x.fence = r.f FOR UPDATE;
        IF NOT FOUND THEN
            idle := idle || r.o::int;
        END IF;
    END LOOP;
    IF cardinality(idle) = cardinality(ids) THEN
        RETURN;
    ELSIF cardinality(idle) > 0 THEN
        SELECT array_agg(u.m ORDER BY u.o), array_agg(u.s ORDER BY u.o), array_agg(u.sk ORDER BY u.o),
               array_agg(u.id ORDER BY u.o), array_agg(u.k ORDER BY u.o), array_agg(u.name ORDER BY u.o),
               array_agg(u.meta ORDER BY u.o), array_agg(u.body ORDER BY u.o), array_agg(u.at ORDER BY u.o)
          INTO merchants, streams, stream_kinds, ids, kinds, names, metas, bodies, received
          FROM unnest(merchants, streams, stream_kinds, ids, kinds, names, metas, bodies, received)
               WITH ORDINALITY AS u (m, s, sk, id, k, name, meta, body, at, o)
         WHERE u.o <> ALL (idle);
    END IF;
    -- Inputs and mailboxes before the effects that are written, as `commit` takes them.
    PERFORM paystream.admit(merchants, streams, stream_kinds, ids, kinds, names, metas, bodies, received);
    FOR r IN SELECT * FROM unnest(effect_merchants, effects, fences) AS u (m, e, f) ORDER BY u.m, u.e LOOP
        UPDATE paystream.effect x SET state = 3 WHERE x.merchant = r.m AND x.id = r.e AND x.fence = r.f;
    END LOOP;
END
$$;
