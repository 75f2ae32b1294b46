-- Marks claimed effects as sending, durable before a byte leaves; answers the numbers of the marks that were taken.
--
-- Repeating the call under the same claim takes the same marks: that is how a lost commit is asked again. Every mark stays
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
    FOR r IN
        SELECT * FROM unnest(merchants, ids, fences) WITH ORDINALITY AS u (m, i, f, o) ORDER BY u.m, u.i
    LOOP
        UPDATE paystream.effect x
           SET state = 2,
               lease_until = greatest(x.lease_until,
                   statement_timestamp() + (x.deadline_us + margin_us) * interval '1 microsecond')
         WHERE x.merchant = r.m AND x.id = r.i AND x.fence = r.f AND x.state IN (1, 2)
           AND x.lease_until > statement_timestamp() AND x.send_before > statement_timestamp()
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
