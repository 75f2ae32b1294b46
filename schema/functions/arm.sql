-- Replaces both timers of decided streams; a part of `commit`, under its settings.
CREATE OR REPLACE FUNCTION paystream.arm(
    verdict int[], u_merchant int[], u_stream uuid[], u_stream_kind int[], u_machine timestamptz[],
    u_business timestamptz[])
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    o int;
BEGIN
    -- The streams are held, so that nobody else arms them: what is not there needs no deletion.
    FOREACH o IN ARRAY ARRAY(
        SELECT u.o::int FROM unnest(u_stream) WITH ORDINALITY AS u (s, o)
               CROSS JOIN LATERAL (
                   SELECT FROM paystream.due x WHERE x.merchant = u_merchant[u.o] AND x.stream = u.s OFFSET 0) x
         WHERE verdict[u.o] = 0 AND u_machine[u.o] IS NULL AND u_business[u.o] IS NULL)
    LOOP
        DELETE FROM paystream.due x WHERE x.merchant = u_merchant[o] AND x.stream = u_stream[o];
    END LOOP;
    IF num_nonnulls(VARIADIC u_machine || u_business) > 0 THEN
        INSERT INTO paystream.due AS x (machine, business, merchant, stream_kind, stream, clocked)
        SELECT u.machine, u.business, u.m, u.sk, u.s,
               u.sk = 3 AND EXISTS (SELECT FROM paystream.merchant_clock c WHERE c.merchant = u.m)
          FROM unnest(u_merchant, u_stream, u_stream_kind, u_machine, u_business)
               WITH ORDINALITY AS u (m, s, sk, machine, business, o)
         WHERE verdict[u.o] = 0 AND (u.machine IS NOT NULL OR u.business IS NOT NULL) ORDER BY u.m, u.s
        ON CONFLICT (merchant, stream) DO UPDATE SET machine = EXCLUDED.machine, business = EXCLUDED.business
            WHERE x.machine IS DISTINCT FROM EXCLUDED.machine OR x.business IS DISTINCT FROM EXCLUDED.business;
    END IF;
END
$$;
