-- Writes rows of the bills' read models, each unless a later one stands, and moves the follower's checkpoint in the same
-- transaction. Answers false where another follower has moved it since: nothing is written then.
CREATE OR REPLACE FUNCTION paystream.bill_view_apply(
    from_pos bigint, to_pos bigint, view_version int,
    p_merchant int[], p_id uuid[], p_version int[], p_pos bigint[], p_status text[], p_account uuid[],
    p_reference text[], p_customer text[], p_created timestamptz[], p_document json[],
    b_merchant int[], b_batch uuid[], b_ordinal int[], b_pos bigint[], b_bill text[], b_amount bigint[],
    b_currency text[], b_outcome text[], b_chunk uuid[], b_standing json[])
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    IF NOT paystream.move_checkpoint('bill_view', view_version, from_pos, to_pos) THEN
        RETURN false;
    END IF;
    INSERT INTO paystream.bill_batch_view AS v (merchant, id, version, pos, status, account, reference, customer,
        created_at, document)
    SELECT * FROM unnest(p_merchant, p_id, p_version, p_pos, p_status, p_account, p_reference, p_customer, p_created,
        p_document) AS r (m, i)
     ORDER BY r.m, r.i
    ON CONFLICT (merchant, id) DO UPDATE SET
        version = EXCLUDED.version, pos = EXCLUDED.pos, status = EXCLUDED.status, document = EXCLUDED.document
     WHERE v.version < EXCLUDED.version;
    INSERT INTO paystream.bill_view AS v (merchant, batch, ordinal, pos, bill, amount, currency, outcome, chunk, standing)
    SELECT * FROM unnest(b_merchant, b_batch, b_ordinal, b_pos, b_bill, b_amount, b_currency, b_outcome, b_chunk,
        b_standing) AS r (m, i, o)
     ORDER BY r.m, r.i, r.o
    ON CONFLICT (merchant, batch, ordinal) DO UPDATE SET
        pos = EXCLUDED.pos, outcome = EXCLUDED.outcome, chunk = EXCLUDED.chunk, standing = EXCLUDED.standing
     WHERE v.pos < EXCLUDED.pos;
    RETURN true;
END
$$;
