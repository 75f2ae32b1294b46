-- Replaces both timers of decided streams; a part of `commit`.
CREATE OR REPLACE FUNCTION paystream.arm(
    verdict int[], u_merchant int[], u_stream uuid[], u_stream_kind int[], u_machine timestamptz[],
    u_business timestamptz[])
RETURNS void LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
    FOR o IN 1..cardinality(verdict) LOOP
        CONTINUE WHEN verdict[o] <> 0 OR u_machine[o] IS NOT NULL OR u_business[o] IS NOT NULL;
        DELETE FROM paystream.due x WHERE x.merchant = u_merchant[o] AND x.stream = u_stream[o];
    END LOOP;
    INSERT INTO paystream.due AS x (machine, business, merchant, stream_kind, stream, clocked)
    SELECT u.machine, u.business, u.m, u.sk, u.s,
           u.sk = 3 AND EXISTS (SELECT FROM paystream.merchant_clock c WHERE c.merchant = u.m)
      FROM unnest(u_merchant, u_stream, u_stream_kind, u_machine, u_business)
           WITH ORDINALITY AS u (m, s, sk, machine, business, o)
     WHERE verdict[u.o] = 0 AND (u.machine IS NOT NULL OR u.business IS NOT NULL) ORDER BY u.m, u.s
    ON CONFLICT (merchant, stream) DO UPDATE SET machine = EXCLUDED.machine, business = EXCLUDED.business
        WHERE x.machine IS DISTINCT FROM EXCLUDED.machine OR x.business IS DISTINCT FROM EXCLUDED.business;
END
$$;
