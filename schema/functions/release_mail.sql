-- Gives claimed mailboxes back, to be taken again after a delay; a lost claim is ignored.
CREATE OR REPLACE FUNCTION paystream.release_mail(merchants int[], streams uuid[], fences bigint[], delay_us bigint)
RETURNS void LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT * FROM unnest(merchants, streams, fences) AS u (m, s, f) ORDER BY u.m, u.s LOOP
        UPDATE paystream.mail b SET due = statement_timestamp() + delay_us * interval '1 microsecond', owner = NULL
         WHERE b.merchant = r.m AND b.stream = r.s AND b.fence = r.f;
    END LOOP;
END
$$;
