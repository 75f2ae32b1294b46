-- Disarms timers that are still armed for the moment given, and admits their inputs, in one transaction.
CREATE OR REPLACE FUNCTION paystream.fire_timers(
    clocks int[], moments timestamptz[],
    merchants int[], streams uuid[], stream_kinds int[], ids uuid[], kinds int[], names text[], metas json[],
    bodies bytea[], received timestamptz[])
RETURNS int LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
DECLARE
    fired bigint[];
BEGIN
    fired := ARRAY(
        SELECT u.o FROM unnest(merchants, streams, clocks, moments) WITH ORDINALITY AS u (m, s, c, at, o)
               JOIN paystream.due x ON x.merchant = u.m AND x.stream = u.s
         WHERE CASE u.c WHEN 0 THEN x.machine ELSE x.business END = u.at ORDER BY u.o);
    IF cardinality(fired) = 0 THEN
        RETURN 0;
    END IF;
    -- Inputs and mailboxes before timers, as `commit` takes them. A timer that is disarmed in this instant leaves an
    -- input that finds nothing to do; two who fire the same timer meet at the input's key.
    PERFORM paystream.admit(array_agg(u.m), array_agg(u.s), array_agg(u.sk), array_agg(u.id), array_agg(u.k),
            array_agg(u.name), array_agg(u.meta), array_agg(u.body), array_agg(u.received))
       FROM unnest(merchants, streams, stream_kinds, ids, kinds, names, metas, bodies, received)
            WITH ORDINALITY AS u (m, s, sk, id, k, name, meta, body, received, o)
      WHERE u.o = ANY (fired);
    UPDATE paystream.due x SET machine = NULL
      FROM unnest(merchants, streams, clocks, moments) WITH ORDINALITY AS u (m, s, c, at, o)
     WHERE u.o = ANY (fired) AND u.c = 0 AND x.merchant = u.m AND x.stream = u.s AND x.machine = u.at;
    UPDATE paystream.due x SET business = NULL
      FROM unnest(merchants, streams, clocks, moments) WITH ORDINALITY AS u (m, s, c, at, o)
     WHERE u.o = ANY (fired) AND u.c = 1 AND x.merchant = u.m AND x.stream = u.s AND x.business = u.at;
    DELETE FROM paystream.due x USING unnest(merchants, streams) AS u (m, s)
     WHERE x.merchant = u.m AND x.stream = u.s AND x.machine IS NULL AND x.business IS NULL;
    RETURN cardinality(fired);
END
$$;
