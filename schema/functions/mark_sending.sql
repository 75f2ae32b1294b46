-- Marks effects as sending, durable before a byte leaves; answers the numbers of the marks that were taken.
--
-- They are claimed, or ready and due under a fence that nobody but the decision that created them was told (`commit`): a claim
-- draws another one. More than the margin is left of a ready one's window, and of a claimed one's window or lease: whoever finds
-- it expired (`expired_effects`) while the mark is not committed yet says that nothing left, and past the margin nothing does.
-- Where the log has come to another cluster, nothing is marked before a recovery epoch has begun (`epoch_here`).
--
-- Repeating the call under the same fence takes the same marks: that is how a lost commit is asked again. Every mark stays
-- in `sending_mark`, with its first time.
CREATE OR REPLACE FUNCTION paystream.mark_sending(merchants int[], ids uuid[], fences bigint[], margin_us bigint)
RETURNS TABLE (unit int) LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    r record;
    x_kind smallint;
    x_stream uuid;
    x_ordinal int;
BEGIN
    PERFORM paystream.epoch_here();
    FOR r IN
        SELECT * FROM unnest(merchants, ids, fences) WITH ORDINALITY AS u (m, i, f, o) ORDER BY u.m, u.i
    LOOP
        UPDATE paystream.effect x
           SET state = 2,
               lease_until = greatest(x.lease_until,
                   statement_timestamp() + (x.deadline_us + margin_us) * interval '1 microsecond')
         WHERE x.merchant = r.m AND x.id = r.i AND x.fence = r.f AND x.send_before > statement_timestamp()
           AND CASE x.state
                   WHEN 0 THEN x.not_before <= statement_timestamp()
                       AND x.send_before > statement_timestamp() + margin_us * interval '1 microsecond'
                   WHEN 1 THEN x.lease_until > statement_timestamp()
                       AND greatest(x.lease_until, x.send_before)
                           > statement_timestamp() + margin_us * interval '1 microsecond'
                   WHEN 2 THEN x.lease_until > statement_timestamp()
                   ELSE false
               END
        RETURNING x.stream_kind, x.stream, x.ordinal INTO x_kind, x_stream, x_ordinal;
        IF FOUND THEN
            INSERT INTO paystream.sending_mark (at, fence, merchant, ordinal, stream_kind, stream, effect)
            VALUES (statement_timestamp(), r.f, r.m, x_ordinal, x_kind, x_stream, r.i) ON CONFLICT DO NOTHING;
            unit := r.o;
            RETURN NEXT;
        END IF;
    END LOOP;
END
$$;
