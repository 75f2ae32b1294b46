-- Gives back the mailboxes that the claimer has worked off, and claims up to 20 that are due. The limit is literal and the clock stable, so that the plan walks one index;
-- each row is then moved by its key, so that no plan can join the whole table.
CREATE OR REPLACE FUNCTION paystream.claim_mail(
    claimer text, lease_us bigint, done_merchants int[], done_streams uuid[], done_fences bigint[])
RETURNS TABLE (merchant int, stream_kind smallint, stream uuid, fence bigint, attempts int)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    r record;
BEGIN
    IF cardinality(done_streams) > 0 THEN
        PERFORM paystream.release_mail(done_merchants, done_streams, done_fences, 0);
    END IF;
    FOR r IN
        SELECT b.merchant AS m, b.stream AS s FROM paystream.mail b
         WHERE b.due <= statement_timestamp() ORDER BY b.due LIMIT 20 FOR UPDATE SKIP LOCKED
    LOOP
        RETURN QUERY
        UPDATE paystream.mail b
           SET due = statement_timestamp() + lease_us * interval '1 microsecond',
               fence = nextval('paystream.fence_seq'), attempts = b.attempts + 1, owner = claimer
         WHERE b.merchant = r.m AND b.stream = r.s
        RETURNING b.merchant, b.stream_kind, b.stream, b.fence, b.attempts;
    END LOOP;
END
$$;
