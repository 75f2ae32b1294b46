-- What a merchant's own clock waits for before it goes on from `own_at`: nothing, where the merchant is quiet. One snapshot sees
-- all of it, so that what turns from one into another is never overlooked.
CREATE OR REPLACE FUNCTION paystream.clock_waits(of_merchant int, own_at timestamptz) RETURNS text[]
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
DECLARE
    -- A payment that waits longer than this for its next question waits for its payer.
    soon CONSTANT interval := interval '20 seconds';
BEGIN
    RETURN ARRAY(
        SELECT 'commands' WHERE EXISTS (SELECT FROM paystream.inbox i WHERE i.merchant = of_merchant)
        UNION ALL
        SELECT 'decisions' WHERE EXISTS (SELECT FROM paystream.mail b WHERE b.merchant = of_merchant)
        UNION ALL
        SELECT 'messages' WHERE EXISTS (
            SELECT FROM paystream.effect f WHERE f.merchant = of_merchant AND f.state < 3)
        UNION ALL
        SELECT 'timers' WHERE EXISTS (
            SELECT FROM paystream.due x WHERE x.merchant = of_merchant AND x.clocked AND x.business <= own_at)
        UNION ALL
        SELECT 'payments' WHERE EXISTS (
            SELECT FROM paystream.due x
             WHERE x.merchant = of_merchant AND x.stream_kind IN (1, 7) AND x.machine <= clock_timestamp() + soon));
END
$$;
