-- Gives claimed mailboxes back, to be taken again after a delay; a lost claim is ignored.
CREATE OR REPLACE FUNCTION paystream.release_mail(merchants int[], streams uuid[], fences bigint[], delay_us bigint)
RETURNS void LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
BEGIN
    PERFORM FROM unnest(merchants, streams, fences) AS u (m, s, f)
            JOIN paystream.mail b ON b.merchant = u.m AND b.stream = u.s AND b.fence = u.f
      ORDER BY b.merchant, b.stream FOR UPDATE OF b;
    UPDATE paystream.mail b SET due = statement_timestamp() + delay_us * interval '1 microsecond', owner = NULL
      FROM unnest(merchants, streams, fences) AS u (m, s, f)
     WHERE b.merchant = u.m AND b.stream = u.s AND b.fence = u.f;
END
$$;
