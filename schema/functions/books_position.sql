-- The place of the log up to which the books are whole: where the movements' follower has come to, and behind it as far as nothing moves.
-- What settlement books has its place there at once. The order of the statements matters: see `horizon`.
CREATE OR REPLACE FUNCTION paystream.books_position() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    high CONSTANT bigint := paystream.horizon();
    reached bigint;
BEGIN
    SELECT coalesce(max(c.pos), 0) INTO reached
      FROM paystream.checkpoint c WHERE c.name = 'movement';
    IF high > reached AND NOT EXISTS (
        SELECT FROM paystream.event e WHERE e.pos > reached AND e.pos <= high AND e.stream_kind IN (1, 3, 6, 7)) THEN
        RETURN high;
    END IF;
    RETURN reached;
END
$$;
