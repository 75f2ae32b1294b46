-- The lines of an account that no movement explained, and for which two persons adjusted the books: as long as that stands, evidence of exactly
-- such a movement takes it back.
CREATE OR REPLACE FUNCTION paystream.settlement_adjusted_lines(of_merchant int, of_account uuid)
RETURNS TABLE (file uuid, number int, kind text, amount bigint, currency text, provider_reference text, reference text)
LANGUAGE sql STABLE AS $$
    SELECT n.file, n.number, n.kind, n.amount, n.currency, n.provider_reference, n.reference
      FROM paystream.settlement_exception x
      JOIN (SELECT DISTINCT e.exception FROM paystream.settlement_entry e
             WHERE e.merchant = of_merchant AND e.account = of_account AND e.exception IS NOT NULL
             GROUP BY e.exception, e.kind HAVING sum(e.amount) <> 0) s ON s.exception = x.id
      JOIN paystream.settlement_line n ON n.merchant = of_merchant AND n.file = x.file AND n.number = x.line
     WHERE x.merchant = of_merchant AND x.account = of_account AND x.outcome = 'adjusted' AND x.class = 'missingHere'
       AND n.kind IN ('captured', 'refunded', 'refundReversed', 'disputed', 'disputeWon', 'disputeLost')
       AND NOT EXISTS (SELECT FROM paystream.settlement_match y
                        WHERE y.merchant = of_merchant AND y.file = n.file AND y.line = n.number AND y.ended_act IS NULL)
$$;
