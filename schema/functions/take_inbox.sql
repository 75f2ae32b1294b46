-- Removes up to 100 enqueued commands; the caller settles them in the same transaction.
--
-- It goes round the merchants, from the one behind `after_merchant` on, and shares its places among those that have commands; each
-- merchant's oldest come first. So nobody waits for what another merchant enqueued before.
CREATE OR REPLACE FUNCTION paystream.take_inbox(most int, after_merchant int DEFAULT 0)
RETURNS TABLE (id uuid, merchant int, key text, name text, body json, at timestamptz)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    free int := least(most, 100);
    at_merchant int := after_merchant;
    is_second boolean := false;
    merchants int[] := '{}';
    has_more boolean[] := '{}';
    share int;
    got int;
    n int;
BEGIN
    WHILE cardinality(merchants) < free LOOP
        SELECT y.merchant INTO n FROM paystream.inbox y
         WHERE y.merchant > at_merchant ORDER BY y.merchant, y.seq LIMIT 1;
        IF NOT FOUND THEN
            EXIT WHEN is_second;
            is_second := true;
            at_merchant := 0;
            CONTINUE;
        END IF;
        EXIT WHEN is_second AND n > after_merchant;
        at_merchant := n;
        merchants := merchants || n;
        has_more := has_more || true;
    END LOOP;
    -- What one of them leaves, the others get in the next round.
    LOOP
        share := 0;
        FOR o IN 1..cardinality(merchants) LOOP
            CONTINUE WHEN NOT has_more[o] OR free = 0;
            share := (free + cardinality(merchants) - o) / (cardinality(merchants) - o + 1);
            RETURN QUERY
            WITH gone AS (
                DELETE FROM paystream.inbox x
                 WHERE x.seq = ANY (ARRAY(
                     SELECT y.seq FROM paystream.inbox y WHERE y.merchant = merchants[o]
                      ORDER BY y.seq LIMIT share FOR UPDATE SKIP LOCKED))
                RETURNING x.seq, x.id, x.merchant, x.key, x.name, x.body, x.at)
            SELECT g.id, g.merchant, g.key, g.name, g.body, g.at FROM gone g ORDER BY g.seq;
            GET DIAGNOSTICS got = ROW_COUNT;
            has_more[o] := got = share;
            free := free - got;
        END LOOP;
        EXIT WHEN share = 0;
    END LOOP;
END
$$;
