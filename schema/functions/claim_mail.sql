-- Gives back the mailboxes that the claimer has worked off, and claims up to 64 that are due.
--
-- The claim goes round the merchants, from the one behind `after_merchant` on, and shares its places among as many of them at most that
-- have something due; each merchant's oldest come first. So it costs the same, however much one merchant has waiting, and nobody waits for
-- another one's backlog. Each row is moved by its key, so that no plan can join the whole table.
--
-- Whoever gives a mailbox back leaves no owner. One that still has an owner was taken by somebody who is gone: it is suspect from then on.
CREATE OR REPLACE FUNCTION paystream.claim_mail(
    claimer text, lease_us bigint, done_merchants int[], done_streams uuid[], done_fences bigint[],
    after_merchant int DEFAULT 0)
RETURNS TABLE (merchant int, stream_kind smallint, stream uuid, fence bigint, attempts int)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    free int := 64;
    at_merchant bigint := after_merchant;
    is_second boolean := false;
    merchants bigint[] := '{}';
    has_more boolean[] := '{}';
    share int;
    got int;
    r record;
BEGIN
    IF cardinality(done_streams) > 0 THEN
        PERFORM paystream.release_mail(done_merchants, done_streams, done_fences, 0);
    END IF;
    WHILE cardinality(merchants) < free LOOP
        SELECT b.merchant::bigint AS m, b.due <= statement_timestamp() AS is_due INTO r
          FROM paystream.mail b WHERE b.merchant::bigint > at_merchant ORDER BY b.merchant::bigint, b.due LIMIT 1;
        IF NOT FOUND THEN
            EXIT WHEN is_second;
            is_second := true;
            at_merchant := 0;
            CONTINUE;
        END IF;
        EXIT WHEN is_second AND r.m > after_merchant;
        at_merchant := r.m;
        IF r.is_due THEN
            merchants := merchants || r.m;
            has_more := has_more || true;
        END IF;
    END LOOP;
    -- What one of them leaves, the others get in the next round.
    LOOP
        share := 0;
        FOR o IN 1..cardinality(merchants) LOOP
            CONTINUE WHEN NOT has_more[o] OR free = 0;
            share := (free + cardinality(merchants) - o) / (cardinality(merchants) - o + 1);
            got := 0;
            FOR r IN
                SELECT b.merchant AS m, b.stream AS s FROM paystream.mail b
                 WHERE b.merchant::bigint = merchants[o] AND b.due <= statement_timestamp()
                 ORDER BY b.due LIMIT share FOR UPDATE SKIP LOCKED
            LOOP
                got := got + 1;
                RETURN QUERY
                UPDATE paystream.mail b
                   SET due = statement_timestamp() + lease_us * interval '1 microsecond',
                       fence = nextval('paystream.fence_seq'), owner = claimer,
                       attempts = CASE WHEN b.owner IS NULL THEN b.attempts ELSE greatest(b.attempts, 1) END
                 WHERE b.merchant = r.m AND b.stream = r.s
                RETURNING b.merchant, b.stream_kind, b.stream, b.fence, b.attempts;
            END LOOP;
            has_more[o] := got = share;
            free := free - got;
        END LOOP;
        EXIT WHEN share = 0;
    END LOOP;
END
$$;
