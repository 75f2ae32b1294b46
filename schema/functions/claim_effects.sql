-- Claims up to 20 effects that are ready and inside their send window; a claim is a lease and proves nothing.
--
-- Where the log has come to another cluster, nothing is claimed before a recovery epoch has begun (`epoch_here`).
CREATE OR REPLACE FUNCTION paystream.claim_effects(claimer text, lease_us bigint)
RETURNS TABLE (merchant int, stream_kind smallint, stream uuid, id uuid, fence bigint, account uuid, ordinal int,
    template bytea, not_before timestamptz, send_before timestamptz, deadline_us bigint, lease_until timestamptz)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    r record;
BEGIN
    PERFORM paystream.epoch_here();
    FOR r IN
        SELECT x.merchant AS m, x.id AS i FROM paystream.effect x
         WHERE x.state = 0 AND x.not_before <= statement_timestamp() AND x.send_before > statement_timestamp()
         ORDER BY x.not_before LIMIT 20 FOR UPDATE SKIP LOCKED
    LOOP
        RETURN QUERY
        UPDATE paystream.effect x
           SET state = 1, fence = nextval('paystream.fence_seq'), owner = claimer,
               lease_until = statement_timestamp() + lease_us * interval '1 microsecond'
         WHERE x.merchant = r.m AND x.id = r.i
        RETURNING x.merchant, x.stream_kind, x.stream, x.id, x.fence, x.account, x.ordinal, x.template,
                  x.not_before, x.send_before, x.deadline_us, x.lease_until;
    END LOOP;
END
$$;
