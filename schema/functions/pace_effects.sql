-- Lets claimed effects of one account pass at a rate and answers the numbers of those that may leave now.
--
-- The others are given back under their licence, to be claimed when their turn comes: the rate delays a message before it is
-- marked as sending and never after. After a pause up to `burst` messages pass at once.
CREATE OR REPLACE FUNCTION paystream.pace_effects(
    of_merchant int, of_account uuid, ids uuid[], fences bigint[], spacing_us bigint, burst int)
RETURNS TABLE (unit int) LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    spacing interval := spacing_us * interval '1 microsecond';
    turn timestamptz;
    passed timestamptz;
BEGIN
    INSERT INTO paystream.pace AS p (next_at, merchant, account) VALUES (to_timestamp(0), of_merchant, of_account)
    ON CONFLICT (merchant, account) DO UPDATE SET next_at = p.next_at
    RETURNING p.next_at INTO turn;
    -- The clock is read behind the lock: whoever waited for it must not reckon with an older time.
    turn := greatest(turn, clock_timestamp() - (burst - 1) * spacing);
    passed := turn;
    FOR o IN 1..cardinality(ids) LOOP
        IF turn <= clock_timestamp() THEN
            passed := turn + spacing;
            unit := o;
            RETURN NEXT;
        ELSE
            UPDATE paystream.effect x
               SET state = 0, fence = nextval('paystream.fence_seq'), owner = NULL, not_before = turn, lease_until = turn
             WHERE x.merchant = of_merchant AND x.id = ids[o] AND x.fence = fences[o] AND x.state = 1;
        END IF;
        turn := turn + spacing;
    END LOOP;
    UPDATE paystream.pace p SET next_at = passed WHERE p.merchant = of_merchant AND p.account = of_account;
END
$$;
