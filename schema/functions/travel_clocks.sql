-- Moves each travelling clock by one step, to the earliest timer or to its target, where its merchant is quiet. Answers
-- 0 where none travels, 1 where one waits for quiet, 2 where one was moved.
--
-- Quiet: nothing waits for a decision, nothing is on its way to a provider, no timer is due, and no payment is about to
-- ask its provider (`clock_waits`).
CREATE OR REPLACE FUNCTION paystream.travel_clocks() RETURNS int
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
DECLARE
    answer int := 0;
    stop timestamptz;
    r record;
BEGIN
    FOR r IN
        SELECT c.merchant, c.at, c.target FROM paystream.merchant_clock c WHERE c.target IS NOT NULL
         ORDER BY c.merchant FOR UPDATE SKIP LOCKED
    LOOP
        answer := greatest(answer, 1);
        CONTINUE WHEN cardinality(paystream.clock_waits(r.merchant, r.at)) > 0;
        SELECT min(x.business) INTO stop FROM paystream.due x WHERE x.merchant = r.merchant AND x.clocked;
        UPDATE paystream.merchant_clock c
           SET at = least(r.target, greatest(r.at, coalesce(stop, r.target))), steps = c.steps + 1,
               target = CASE WHEN stop <= r.target THEN r.target END
         WHERE c.merchant = r.merchant;
        answer := 2;
    END LOOP;
    RETURN answer;
END
$$;
