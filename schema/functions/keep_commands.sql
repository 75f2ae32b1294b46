-- Keeps the keys of decided commands for ever; a part of `commit`.
CREATE OR REPLACE FUNCTION paystream.keep_commands(
    verdict int[], u_merchant int[], u_stream uuid[], u_stream_kind int[], u_input uuid[], u_fence bigint[],
    u_base int[], u_events int[], u_mac bytea[])
RETURNS void LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
    -- The SQL entrance has written the key of its command before, without a version.
    INSERT INTO paystream.idempotency AS k (merchant, stream_kind, input, stream, version, mac)
    SELECT u.m, u.sk, u.i, u.s, u.b + u.n, u.mac
      FROM unnest(u_merchant, u_stream, u_stream_kind, u_input, u_base, u_events, u_mac)
           WITH ORDINALITY AS u (m, s, sk, i, b, n, mac, o)
     WHERE verdict[u.o] = 0 AND u.mac IS NOT NULL ORDER BY u.m, u.i
    ON CONFLICT (merchant, input) DO UPDATE
        SET version = EXCLUDED.version, mac = EXCLUDED.mac, stream = EXCLUDED.stream,
            stream_kind = EXCLUDED.stream_kind;
    FOR o IN 1..cardinality(verdict) LOOP
        CONTINUE WHEN verdict[o] <> 0 OR u_fence[o] IS NULL OR u_mac[o] IS NOT NULL;
        UPDATE paystream.idempotency k SET version = u_base[o] + u_events[o]
         WHERE k.merchant = u_merchant[o] AND k.input = u_input[o] AND k.version IS NULL;
    END LOOP;
END
$$;
