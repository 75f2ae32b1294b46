-- Removes up to 100 enqueued commands, oldest first; the caller settles them in the same transaction.
CREATE OR REPLACE FUNCTION paystream.take_inbox(most int)
RETURNS TABLE (id uuid, merchant int, key text, name text, body json, at timestamptz)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH gone AS (
        DELETE FROM paystream.inbox x
         WHERE x.seq = ANY (ARRAY(
             SELECT y.seq FROM paystream.inbox y ORDER BY y.seq LIMIT least(most, 100) FOR UPDATE SKIP LOCKED))
        RETURNING x.seq, x.id, x.merchant, x.key, x.name, x.body, x.at)
    SELECT g.id, g.merchant, g.key, g.name, g.body, g.at FROM gone g ORDER BY g.seq;
END
$$;
