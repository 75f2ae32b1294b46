-- Writes rows of the payment view, sorted by key, each unless a later one stands, and moves the follower's checkpoint in the same
-- transaction. Answers false where another follower has moved it since: nothing is written then.
CREATE OR REPLACE FUNCTION paystream.payment_view_apply(
    from_pos bigint, to_pos bigint, view_version int,
    p_merchant int[], p_id uuid[], p_version int[], p_pos bigint[], p_status text[], p_currency text[],
    p_amount bigint[], p_reference text[], p_customer text[], p_account uuid[], p_mode text[], p_operator boolean[],
    p_obligations boolean[], p_created timestamptz[], p_updated timestamptz[], p_document json[], p_kind int[],
    p_disputed boolean[], p_provider text[], p_captured bigint[], p_refunded bigint[], p_transferred bigint[],
    p_held bigint[], p_in_dispute bigint[], p_charged_back bigint[], p_method text[], p_instrument uuid[],
    p_labels text[])
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    IF NOT paystream.move_checkpoint('payment_view', view_version, from_pos, to_pos) THEN
        RETURN false;
    END IF;
    -- Labels stay as they were at the creation: a payment that has a row has those of its labels.
    INSERT INTO paystream.payment_label (merchant, label, created_at, id)
    SELECT r.m, l.label, r.c, r.i
      FROM unnest(p_merchant, p_id, p_created, p_labels) AS r (m, i, c, l), unnest(r.l::uuid[]) AS l (label)
     WHERE NOT EXISTS (SELECT FROM paystream.payment_view v WHERE v.merchant = r.m AND v.id = r.i)
     ORDER BY 1, 2, 3, 4
    ON CONFLICT DO NOTHING;
    INSERT INTO paystream.payment_view AS v (merchant, id, version, pos, status, currency, amount, reference, customer,
        account, account_mode, needs_operator, has_obligations, created_at, updated_at, document, kind, disputed,
        provider, captured, refunded, transferred, held, in_dispute, charged_back, method, instrument, labels)
    SELECT m, i, version, pos, status, currency, amount, reference, customer, account, mode, operator_needed, obligations,
        created, updated, document, kind, disputed, provider, captured, refunded, transferred, held, in_dispute,
        charged_back, method, instrument, labels::uuid[]
      FROM unnest(p_merchant, p_id, p_version, p_pos, p_status, p_currency, p_amount, p_reference, p_customer,
        p_account, p_mode, p_operator, p_obligations, p_created, p_updated, p_document, p_kind, p_disputed,
        p_provider, p_captured, p_refunded, p_transferred, p_held, p_in_dispute, p_charged_back, p_method, p_instrument,
        p_labels) AS r (m, i, version, pos, status, currency, amount, reference, customer, account, mode, operator_needed,
        obligations, created, updated, document, kind, disputed, provider, captured, refunded, transferred, held,
        in_dispute, charged_back, method, instrument, labels)
     ORDER BY r.m, r.i
    ON CONFLICT (merchant, id) DO UPDATE SET
        version = EXCLUDED.version, pos = EXCLUDED.pos, status = EXCLUDED.status, currency = EXCLUDED.currency,
        amount = EXCLUDED.amount, reference = EXCLUDED.reference, customer = EXCLUDED.customer,
        account = EXCLUDED.account, account_mode = EXCLUDED.account_mode, needs_operator = EXCLUDED.needs_operator,
        has_obligations = EXCLUDED.has_obligations, created_at = EXCLUDED.created_at,
        updated_at = EXCLUDED.updated_at, document = EXCLUDED.document, kind = EXCLUDED.kind,
        disputed = EXCLUDED.disputed, provider = EXCLUDED.provider, captured = EXCLUDED.captured,
        refunded = EXCLUDED.refunded, transferred = EXCLUDED.transferred, held = EXCLUDED.held,
        in_dispute = EXCLUDED.in_dispute, charged_back = EXCLUDED.charged_back,
        method = EXCLUDED.method, instrument = EXCLUDED.instrument, labels = EXCLUDED.labels
     WHERE v.version < EXCLUDED.version;
    RETURN true;
END
$$;
