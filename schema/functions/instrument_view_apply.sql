-- Writes rows of the instrument view, sorted by key, each unless a later one stands, and moves the follower's checkpoint
-- in the same transaction. Answers false where another follower has moved it since: nothing is written then.
CREATE OR REPLACE FUNCTION paystream.instrument_view_apply(
    from_pos bigint, to_pos bigint, view_version int,
    p_merchant int[], p_id uuid[], p_version int[], p_pos bigint[], p_status text[], p_customer text[],
    p_account uuid[], p_created timestamptz[], p_document json[])
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    IF NOT paystream.move_checkpoint('instrument_view', view_version, from_pos, to_pos) THEN
        RETURN false;
    END IF;
    INSERT INTO paystream.instrument_view AS v (merchant, id, version, pos, status, customer, account, created_at,
        document)
    SELECT * FROM unnest(p_merchant, p_id, p_version, p_pos, p_status, p_customer, p_account, p_created, p_document)
        AS r (m, i)
     ORDER BY r.m, r.i
    ON CONFLICT (merchant, id) DO UPDATE SET
        version = EXCLUDED.version, pos = EXCLUDED.pos, status = EXCLUDED.status, customer = EXCLUDED.customer,
        account = EXCLUDED.account, created_at = EXCLUDED.created_at, document = EXCLUDED.document
     WHERE v.version < EXCLUDED.version;
    RETURN true;
END
$$;
