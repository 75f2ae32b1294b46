-- Publishes the floor of this transaction; called once, at top level, before the first position is drawn.
--
-- A savepoint that is rolled back would drop the lock: no caller may have an EXCEPTION block around it.
CREATE OR REPLACE FUNCTION paystream.publish_floor() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    low bigint;
BEGIN
    SELECT CASE WHEN q.is_called THEN q.last_value ELSE 0 END INTO low FROM paystream.pos_seq q;
    PERFORM pg_advisory_xact_lock_shared((x'70'::bigint << 56) | low);
    RETURN low;
END
$$;
