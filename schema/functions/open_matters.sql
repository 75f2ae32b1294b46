-- What is unresolved beside payments, the newest of each sort, so many of each at most. `what` says which sort a row is; `grace`
-- is how many microseconds behind its last moment a message may still be answered.
CREATE OR REPLACE FUNCTION paystream.open_matters(of_merchant int, most int, grace bigint)
RETURNS TABLE (what text, kind smallint, id uuid, name text, word text, since timestamptz, deadline timestamptz,
               is_overdue boolean)
LANGUAGE sql STABLE AS $$
    -- Messages that no payment sent and whose outcome is not known: what pays bills or asks for prices, removes a credential, or
    -- changes a series.
    (SELECT 'message', e.stream_kind, e.stream, NULL, NULL, e.not_before, e.send_before,
            e.send_before + grace * interval '1 microsecond' <= statement_timestamp()
       FROM paystream.effect e WHERE e.merchant = of_merchant AND e.stream_kind NOT IN (1, 7)
      ORDER BY e.not_before DESC LIMIT most)
    UNION ALL
    -- Batches that stand still until somebody lets them go on, and those whose app has told nothing yet.
    (SELECT 'batch', NULL, b.id, NULL, CASE b.status WHEN 'paused' THEN coalesce(b.document ->> 'trouble', 'unknown') END,
            b.created_at, NULL, false
       FROM paystream.bill_batch_view b
      WHERE b.merchant = of_merchant
        AND (b.status = 'paused' OR b.status = 'requires_action' AND b.document ->> 'mode' = 'sdk')
      ORDER BY b.created_at DESC LIMIT most)
    UNION ALL
    -- Bills whose message was not answered, whose money is only held, or whose payer must act.
    (SELECT 'bill', NULL, v.batch, v.bill, v.outcome, b.created_at, NULL, false
       FROM paystream.bill_batch_view b CROSS JOIN LATERAL (
            SELECT * FROM paystream.bill_view v
             WHERE v.merchant = b.merchant AND v.batch = b.id AND v.outcome IN ('unknown', 'held', 'requires_action')
             ORDER BY v.ordinal LIMIT most) v
      WHERE b.merchant = of_merchant ORDER BY b.created_at DESC, v.ordinal LIMIT most)
    UNION ALL
    -- Bills that stand on an app's word alone for longer than that may be.
    (SELECT 'bill', NULL, v.batch, v.bill, v.outcome, (b.document ->> 'endedAt')::timestamptz, NULL, false
       FROM paystream.bill_batch_view b CROSS JOIN LATERAL (
            SELECT * FROM paystream.bill_view v
             WHERE v.merchant = b.merchant AND v.batch = b.id AND v.outcome = 'claimed'
             ORDER BY v.ordinal LIMIT most) v
      WHERE b.merchant = of_merchant AND b.status IN ('claimed', 'unresolved')
        AND (b.document ->> 'endedAt')::timestamptz + paystream.claim_patience() <= statement_timestamp()
      ORDER BY b.created_at DESC, v.ordinal LIMIT most)
    UNION ALL
    -- Credentials that were removed here and that their provider may still know, though nothing is on its way.
    (SELECT 'removal', NULL, NULL, i.document ->> 'id', i.document -> 'removal' ->> 'atProvider', i.created_at, NULL, false
       FROM paystream.instrument_view i
      WHERE i.merchant = of_merchant AND i.document -> 'removal' ->> 'atProvider' IN ('unknown', 'refused')
      ORDER BY i.created_at DESC LIMIT most)
    UNION ALL
    -- What a provider that runs a series was asked in vain: it may go on debiting as before.
    (SELECT 'series', NULL, NULL, s.document ->> 'id',
            concat_ws('_', s.document -> 'request' ->> 'ask', s.document -> 'request' ->> 'state'), s.updated_at, NULL, false
       FROM paystream.schedule_view s
      WHERE s.merchant = of_merchant AND s.document -> 'request' ->> 'state' IN ('unknown', 'refused')
      ORDER BY s.updated_at DESC LIMIT most)
    UNION ALL
    -- Series with debits that nothing explains and that are no payments: nobody ever told what took their money.
    (SELECT 'series', NULL, NULL, s.document ->> 'id', 'debit_unmatched', s.updated_at, NULL, false
       FROM paystream.schedule_view s
      WHERE s.merchant = of_merchant AND (s.document -> 'oddities')::jsonb ? 'debitUnmatched'
        AND EXISTS (
            SELECT FROM paystream.event e
             WHERE e.merchant = s.merchant AND e.stream = s.id AND e.type = 'schedule.debit_unmatched.v1'
               AND NOT EXISTS (SELECT FROM paystream.stream p WHERE p.merchant = e.merchant
                                  AND p.id = replace(e.data ->> 'payment', 'pay_', '')::uuid))
      ORDER BY s.updated_at DESC LIMIT most)
    UNION ALL
    -- Endpoints of webhooks that are sent nothing because they failed for days or said that they are gone.
    (SELECT 'webhook', NULL, c.endpoint, NULL, c.trouble, c.trouble_since, NULL, false
       FROM paystream.webhook_cursor c WHERE c.merchant = of_merchant AND c.trouble IS NOT NULL
      ORDER BY c.trouble_since DESC LIMIT most)
    UNION ALL
    -- Inputs that could not be decided.
    (SELECT 'input', q.stream_kind, q.input, q.stream::text, q.reason, q.at, NULL, false
       FROM paystream.input_quarantine q WHERE q.merchant = of_merchant ORDER BY q.at DESC LIMIT most)
$$;
