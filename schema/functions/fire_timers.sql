-- Disarms timers that are still armed for the moment given, and admits their inputs, in one transaction.
--
-- A moment that has had its turn, and was armed again by a decision about something else, would give the same input: such a
-- timer is not lost but armed a minute later, as another one.
CREATE OR REPLACE FUNCTION paystream.fire_timers(
    clocks int[], moments timestamptz[],
    merchants int[], streams uuid[], stream_kinds int[], ids uuid[], kinds int[], names text[], metas json[],
    bodies bytea[], received timestamptz[])
RETURNS int LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    fired bigint[];
    spent bigint[];
    r record;
BEGIN
    fired := ARRAY(
        SELECT u.o FROM unnest(merchants, streams, clocks, moments) WITH ORDINALITY AS u (m, s, c, at, o)
               CROSS JOIN LATERAL (
                   SELECT y.machine, y.business FROM paystream.due y
                    WHERE y.merchant = u.m AND y.stream = u.s OFFSET 0) x
         WHERE CASE u.c WHEN 0 THEN x.machine ELSE x.business END = u.at ORDER BY u.o);
    IF cardinality(fired) = 0 THEN
        RETURN 0;
    END IF;
    spent := ARRAY(
        SELECT u.o FROM unnest(merchants, ids) WITH ORDINALITY AS u (m, id, o)
               CROSS JOIN LATERAL (
                   SELECT FROM paystream.input y WHERE y.merchant = u.m AND y.id = u.id OFFSET 0) x
         WHERE u.o = ANY (fired));
    -- Inputs and mailboxes before timers, as `commit` takes them. A timer that is disarmed in this instant leaves an
    -- input that finds nothing to do; two who fire the same timer meet at the input's key.
    PERFORM paystream.admit(array_agg(u.m), array_agg(u.s), array_agg(u.sk), array_agg(u.id), array_agg(u.k),
            array_agg(u.name), array_agg(u.meta), array_agg(u.body), array_agg(u.received))
       FROM unnest(merchants, streams, stream_kinds, ids, kinds, names, metas, bodies, received)
            WITH ORDINALITY AS u (m, s, sk, id, k, name, meta, body, received, o)
      WHERE u.o = ANY (fired);
    FOR r IN
        SELECT * FROM unnest(merchants, streams, clocks, moments) WITH ORDINALITY AS u (m, s, c, at, o)
         WHERE u.o = ANY (fired) ORDER BY u.m, u.s
    LOOP
        IF r.o = ANY (spent) THEN
            UPDATE paystream.due x
               SET machine = CASE WHEN r.c = 0 AND x.machine = r.at THEN r.at + interval '1 minute' ELSE x.machine END,
                   business = CASE WHEN r.c = 1 AND x.business = r.at THEN r.at + interval '1 minute' ELSE x.business END
             WHERE x.merchant = r.m AND x.stream = r.s;
            CONTINUE;
        END IF;
        -- Most streams have one clock armed: its row goes at once, without a version in between.
        DELETE FROM paystream.due x
         WHERE x.merchant = r.m AND x.stream = r.s
           AND CASE r.c WHEN 0 THEN x.machine = r.at AND x.business IS NULL
                        ELSE x.business = r.at AND x.machine IS NULL END;
        CONTINUE WHEN FOUND;
        UPDATE paystream.due x
           SET machine = CASE WHEN r.c = 0 AND x.machine = r.at THEN NULL ELSE x.machine END,
               business = CASE WHEN r.c = 1 AND x.business = r.at THEN NULL ELSE x.business END
         WHERE x.merchant = r.m AND x.stream = r.s;
    END LOOP;
    RETURN cardinality(fired);
END
$$;
