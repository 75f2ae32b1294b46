-- Reads the undecided inputs of claimed mailboxes in their order, at most `each` of one; a lost claim reads nothing.
CREATE OR REPLACE FUNCTION paystream.read_undecided(merchants int[], streams uuid[], fences bigint[], each int)
RETURNS TABLE (unit int, id uuid, kind smallint, name text, meta json, body bytea, received_at timestamptz)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT u.o::int, i.id, i.kind, i.name, i.meta, i.body, i.received_at
      FROM unnest(merchants, streams, fences) WITH ORDINALITY AS u (m, s, f, o)
           JOIN paystream.mail b ON b.merchant = u.m AND b.stream = u.s AND b.fence = u.f
           CROSS JOIN LATERAL (
               SELECT w.input, w.pos FROM paystream.undecided w
                WHERE w.merchant = u.m AND w.stream = u.s ORDER BY w.pos LIMIT each) w
           JOIN paystream.input i ON i.merchant = u.m AND i.id = w.input
     ORDER BY u.o, w.pos;
END
$$;
