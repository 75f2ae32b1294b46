-- Reads the undecided inputs of claimed mailboxes in their order, at most `each` of one; a lost claim reads nothing.
CREATE OR REPLACE FUNCTION paystream.read_undecided(merchants int[], streams uuid[], fences bigint[], each int)
RETURNS TABLE (unit int, id uuid, kind smallint, name text, meta json, body bytea, received_at timestamptz)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT u.o::int, i.id, i.kind, i.name, i.meta, i.body, i.received_at
      FROM unnest(merchants, streams, fences) WITH ORDINALITY AS u (m, s, f, o)
           CROSS JOIN LATERAL (
               SELECT FROM paystream.mail b WHERE b.merchant = u.m AND b.stream = u.s AND b.fence = u.f OFFSET 0) b
           CROSS JOIN LATERAL (
               SELECT w.input, w.pos FROM paystream.undecided w
                WHERE w.merchant = u.m AND w.stream = u.s ORDER BY w.pos LIMIT each) w
           CROSS JOIN LATERAL (
               SELECT x.* FROM paystream.input x WHERE x.merchant = u.m AND x.id = w.input OFFSET 0) i
     ORDER BY u.o, w.pos;
END
$$;
