-- What is unresolved, counted up to a limit.
CREATE OR REPLACE FUNCTION paystream.owed_figures(most int)
RETURNS TABLE (what text, found bigint) LANGUAGE sql STABLE AS $$
    SELECT 'payments', count(*) FROM (SELECT FROM paystream.payment_view WHERE has_obligations LIMIT most) x
    UNION ALL
    SELECT 'payments_operator', count(*) FROM (SELECT FROM paystream.payment_view WHERE needs_operator LIMIT most) x
    UNION ALL
    SELECT 'bills', count(*) FROM (
        SELECT FROM paystream.bill_batch_view b
                    JOIN paystream.bill_view v ON v.merchant = b.merchant AND v.batch = b.id
         WHERE b.status = 'unresolved' AND v.outcome IN ('unknown', 'held') LIMIT most) x
    UNION ALL
    SELECT 'bills_claimed', count(*) FROM (
        SELECT FROM paystream.bill_batch_view b
                    JOIN paystream.bill_view v ON v.merchant = b.merchant AND v.batch = b.id
         WHERE b.status IN ('claimed', 'unresolved') AND v.outcome = 'claimed'
           AND (b.document ->> 'endedAt')::timestamptz + paystream.claim_patience() <= statement_timestamp()
         LIMIT most) x
    UNION ALL
    SELECT 'inputs', count(*) FROM (SELECT FROM paystream.input_quarantine LIMIT most) x
    UNION ALL
    SELECT 'webhooks', count(*) FROM (SELECT FROM paystream.webhook_cursor WHERE trouble IS NOT NULL LIMIT most) x
$$;
