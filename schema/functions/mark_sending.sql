-- Marks claimed effects as sending, durable before a byte leaves; answers the numbers of the marks that were taken.
--
-- Repeating the call under the same claim takes the same marks: that is how a lost commit is asked again.
CREATE OR REPLACE FUNCTION paystream.mark_sending(merchants int[], ids uuid[], fences bigint[], margin_us bigint)
RETURNS TABLE (unit int) LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
BEGIN
    PERFORM FROM unnest(merchants, ids) AS u (m, i)
            JOIN paystream.effect x ON x.merchant = u.m AND x.id = u.i
      ORDER BY x.merchant, x.id FOR UPDATE OF x;
    RETURN QUERY
    UPDATE paystream.effect x
       SET state = 2,
           lease_until = greatest(x.lease_until,
               statement_timestamp() + (x.deadline_us + margin_us) * interval '1 microsecond')
      FROM unnest(merchants, ids, fences) WITH ORDINALITY AS u (m, i, f, o)
     WHERE x.merchant = u.m AND x.id = u.i AND x.fence = u.f AND x.state IN (1, 2)
       AND x.lease_until > statement_timestamp() AND x.send_before > statement_timestamp()
    RETURNING u.o::int;
END
$$;
