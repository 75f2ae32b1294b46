-- The position up to which nothing can appear any more.
--
-- Whoever draws positions first publishes a floor: the sequence's value before the draw, as the key of a shared advisory
-- lock that the transaction holds to its end. Proof: a position P <= high was drawn before `high` was read, so its
-- floor F < P was locked already; if the lock is gone now, its transaction had become visible (or had aborted) before
-- the lock went, and any later snapshot sees it. The order of the two statements is the proof: never merge them, and
-- read rows in a statement after this one, at READ COMMITTED.
CREATE OR REPLACE FUNCTION paystream.horizon() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    high bigint;
    low bigint;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION USING ERRCODE = 'PS010', MESSAGE = 'the log is followed at READ COMMITTED only';
    END IF;
    SELECT CASE WHEN q.is_called THEN q.last_value ELSE 0 END INTO high FROM paystream.pos_seq q;
    SELECT min(((l.classid::bigint << 32) | l.objid::bigint) & ((1::bigint << 56) - 1)) INTO low
      FROM pg_locks l
     WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND (l.classid::bigint >> 24) = x'70'::bigint
       AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database());
    RETURN least(high, coalesce(low, high));
END
$$;
