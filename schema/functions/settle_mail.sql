-- Takes decided inputs out of their mailboxes, which the caller has locked; an empty mailbox vanishes.
CREATE OR REPLACE FUNCTION paystream.settle_mail(
    verdict int[], u_merchant int[], u_stream uuid[], u_input uuid[], u_fence bigint[])
RETURNS void LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
    FOR o IN 1..cardinality(verdict) LOOP
        CONTINUE WHEN verdict[o] <> 0 OR u_fence[o] IS NULL;
        DELETE FROM paystream.undecided w
         WHERE w.merchant = u_merchant[o] AND w.stream = u_stream[o] AND w.input = u_input[o];
        IF EXISTS (SELECT FROM paystream.undecided w WHERE w.merchant = u_merchant[o] AND w.stream = u_stream[o]) THEN
            -- There was progress: what is left starts counting anew.
            UPDATE paystream.mail b SET attempts = 0
             WHERE b.merchant = u_merchant[o] AND b.stream = u_stream[o] AND b.attempts <> 0;
        ELSE
            DELETE FROM paystream.mail b WHERE b.merchant = u_merchant[o] AND b.stream = u_stream[o];
        END IF;
    END LOOP;
END
$$;
