-- Takes decided inputs out of their mailboxes, which the caller has locked; an empty mailbox vanishes.
CREATE OR REPLACE FUNCTION paystream.settle_mail(
    verdict int[], u_merchant int[], u_stream uuid[], u_input uuid[], u_fence bigint[])
RETURNS void LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
BEGIN
    DELETE FROM paystream.undecided w
     USING unnest(u_merchant, u_stream, u_input, u_fence) WITH ORDINALITY AS u (m, s, i, f, o)
     WHERE verdict[u.o] = 0 AND u.f IS NOT NULL AND w.merchant = u.m AND w.stream = u.s AND w.input = u.i;
    DELETE FROM paystream.mail b
     USING unnest(u_merchant, u_stream, u_fence) WITH ORDINALITY AS u (m, s, f, o)
     WHERE verdict[u.o] = 0 AND u.f IS NOT NULL AND b.merchant = u.m AND b.stream = u.s
       AND NOT EXISTS (SELECT FROM paystream.undecided w WHERE w.merchant = u.m AND w.stream = u.s);
    -- There was progress: what is left starts counting anew.
    UPDATE paystream.mail b SET attempts = 0
      FROM unnest(u_merchant, u_stream, u_fence) WITH ORDINALITY AS u (m, s, f, o)
     WHERE verdict[u.o] = 0 AND u.f IS NOT NULL AND b.merchant = u.m AND b.stream = u.s AND b.attempts <> 0;
END
$$;
