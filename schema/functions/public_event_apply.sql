-- Writes public events, each once, with their numbers within their streams, and moves the follower's checkpoint in the same
-- transaction. Answers false where another follower has moved it since: nothing is written then.
--
-- `p_ordinal` counts those of a stream from 1, `p_first` is the version of the first of them: what was told before goes on counting.
CREATE OR REPLACE FUNCTION paystream.public_event_apply(
    from_pos bigint, to_pos bigint, view_version int,
    p_merchant int[], p_position bigint[], p_number smallint[], p_type text[], p_kind smallint[], p_stream uuid[], p_version int[],
    p_ordinal bigint[], p_first int[], p_at timestamptz[], p_head bytea[], p_tail bytea[])
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    IF NOT paystream.move_checkpoint('public_event', view_version, from_pos, to_pos) THEN
        RETURN false;
    END IF;
    INSERT INTO paystream.public_event (merchant, position, number, type, kind, stream, version, sequence, occurred_at, body)
    SELECT r.m, r.p, r.n, r.t, r.k, r.s, r.v, s.sequence, r.at, r.head || convert_to(s.sequence::text, 'UTF8') || r.tail
      FROM unnest(p_merchant, p_position, p_number, p_type, p_kind, p_stream, p_version, p_ordinal, p_first, p_at, p_head, p_tail)
               AS r (m, p, n, t, k, s, v, o, first, at, head, tail)
           CROSS JOIN LATERAL (
               SELECT r.o + coalesce((
                          SELECT x.sequence FROM paystream.public_event x
                           WHERE x.merchant = r.m AND x.stream = r.s AND x.version < r.first
                           ORDER BY x.version DESC, x.number DESC LIMIT 1), 0) AS sequence
               OFFSET 0) s
     ORDER BY r.m, r.p, r.n
    ON CONFLICT DO NOTHING;
    RETURN true;
END
$$;
