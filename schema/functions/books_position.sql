-- The place of the log up to which the books are whole: just before the first event that the movements' follower has not come to, or the
-- horizon where there is none. It never goes back. What settlement books has its place there at once. The order of the statements matters:
-- see `horizon`.
CREATE OR REPLACE FUNCTION paystream.books_position() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    high CONSTANT bigint := paystream.horizon();
    reached bigint;
    awaited bigint;
BEGIN
    SELECT coalesce(max(c.pos), 0) INTO reached
      FROM paystream.checkpoint c WHERE c.name = 'movement';
    SELECT e.pos INTO awaited FROM paystream.event e
     WHERE e.pos > reached AND e.pos <= high AND e.stream_kind IN (1, 3, 6, 7) ORDER BY e.pos LIMIT 1;
    RETURN coalesce(awaited - 1, greatest(reached, high));
END
$$;
