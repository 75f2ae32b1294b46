-- Writes inputs raw and puts each into its stream's mailbox; known ones are skipped. Answers the new ones.
--
-- A mailbox is of its stream's kind, whatever kind the input was sent to: what does not belong there is refused by whoever
-- decides on it, and its neighbours are decided as what they are.
--
-- Order of locks: inputs by (merchant, id), then mailboxes by (merchant, stream).
CREATE OR REPLACE FUNCTION paystream.admit(
    merchants int[], streams uuid[], stream_kinds int[], ids uuid[], kinds int[], names text[], metas json[],
    bodies bytea[], received timestamptz[])
RETURNS TABLE (new_merchant int, new_id uuid) LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    places bigint[];
BEGIN
    PERFORM paystream.publish_floor();
    -- Drawn in the caller's order, which is the order in which a mailbox is worked off.
    places := ARRAY(SELECT nextval('paystream.pos_seq') FROM generate_series(1, cardinality(ids)));
    RETURN QUERY
    WITH fresh AS (
        INSERT INTO paystream.input AS i
            (pos, received_at, merchant, stream_kind, kind, id, stream, name, meta, body)
        SELECT places[u.o], u.received, u.m, u.sk, u.k, u.id, u.s, u.name, u.meta, u.body
          FROM unnest(merchants, streams, stream_kinds, ids, kinds, names, metas, bodies, received)
               WITH ORDINALITY AS u (m, s, sk, id, k, name, meta, body, received, o)
         ORDER BY u.m, u.id, u.o
        ON CONFLICT (merchant, id) DO NOTHING
        RETURNING i.merchant, i.id, i.stream, i.stream_kind, i.pos
    ), boxes AS (
        -- The update changes nothing: it locks the mailbox, so that a decision that empties it can't delete it unseen.
        INSERT INTO paystream.mail AS b (due, merchant, stream_kind, stream)
        SELECT statement_timestamp(), f.merchant, coalesce(min(x.kind), min(f.stream_kind)), f.stream
          FROM fresh f LEFT JOIN LATERAL (
               SELECT y.kind FROM paystream.stream y
                WHERE y.merchant = f.merchant AND y.id = f.stream AND y.ver > 0 OFFSET 0) x ON true
         GROUP BY f.merchant, f.stream ORDER BY f.merchant, f.stream
        ON CONFLICT (merchant, stream) DO UPDATE SET attempts = b.attempts
    ), waiting AS (
        INSERT INTO paystream.undecided (merchant, stream, pos, input)
        SELECT f.merchant, f.stream, f.pos, f.id FROM fresh f
    )
    SELECT f.merchant, f.id FROM fresh f;
END
$$;
