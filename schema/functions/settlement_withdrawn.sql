-- Ends what stood on lines that an act withdrew: matches, exceptions, and what was booked for them.
CREATE OR REPLACE FUNCTION paystream.settlement_withdrawn(of_merchant int, of_act uuid, of_outcome text) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    UPDATE paystream.settlement_match x SET ended_act = of_act
      FROM paystream.settlement_withdrawal w
     WHERE w.merchant = of_merchant AND w.act = of_act AND w.why <> 'repeated'
       AND x.merchant = w.merchant AND x.file = w.file AND x.line = w.line AND x.ended_act IS NULL;
    UPDATE paystream.settlement_exception x SET ended_act = of_act, outcome = of_outcome
      FROM paystream.settlement_withdrawal w
     WHERE w.merchant = of_merchant AND w.act = of_act AND w.why <> 'repeated'
       AND x.merchant = w.merchant AND x.file = w.file AND x.line = w.line AND x.ended_act IS NULL;
    INSERT INTO paystream.settlement_entry (merchant, account, kind, amount, currency, effective_at, act, file, line, exception,
        stream, stream_kind)
    SELECT of_merchant, min(e.account::text)::uuid, e.kind, -sum(e.amount), e.currency, min(e.effective_at), of_act,
           w.file, w.line, e.exception, e.stream, e.stream_kind
      FROM paystream.settlement_withdrawal w
      JOIN paystream.settlement_entry e ON e.merchant = w.merchant AND e.file = w.file AND e.line = w.line
     WHERE w.merchant = of_merchant AND w.act = of_act AND w.why <> 'repeated'
     GROUP BY w.file, w.line, e.exception, e.kind, e.currency, e.stream, e.stream_kind HAVING sum(e.amount) <> 0;
END
$$;
