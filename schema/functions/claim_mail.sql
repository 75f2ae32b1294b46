-- Claims up to 20 mailboxes that are due. The limit is literal and the clock stable, so that the plan walks one index.
CREATE OR REPLACE FUNCTION paystream.claim_mail(claimer text, lease_us bigint)
RETURNS TABLE (merchant int, stream_kind smallint, stream uuid, fence bigint, attempts int)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH c AS MATERIALIZED (
        SELECT b.merchant, b.stream FROM paystream.mail b
         WHERE b.due <= statement_timestamp() ORDER BY b.due LIMIT 20 FOR UPDATE SKIP LOCKED)
    UPDATE paystream.mail b
       SET due = statement_timestamp() + lease_us * interval '1 microsecond',
           fence = nextval('paystream.fence_seq'), attempts = b.attempts + 1, owner = claimer
      FROM c WHERE b.merchant = c.merchant AND b.stream = c.stream
    RETURNING b.merchant, b.stream_kind, b.stream, b.fence, b.attempts;
END
$$;
