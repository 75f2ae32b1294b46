-- Lists up to 200 effects marked as sending whose lease ended longer ago than a grace and that nobody observed.
CREATE OR REPLACE FUNCTION paystream.lost_effects(grace_us bigint)
RETURNS TABLE (merchant int, stream_kind smallint, stream uuid, id uuid, fence bigint, ordinal int, account uuid)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
    RETURN QUERY
    SELECT x.merchant, x.stream_kind, x.stream, x.id, x.fence, x.ordinal, x.account FROM paystream.effect x
     WHERE x.state = 2 AND x.lease_until < statement_timestamp() - grace_us * interval '1 microsecond'
     ORDER BY x.lease_until LIMIT 200;
END
$$;
