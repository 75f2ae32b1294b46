-- The lines of an account that look for their movement: those of a file that is being imported, and those that found none before.
CREATE OR REPLACE FUNCTION paystream.settlement_open_lines(of_merchant int, of_account uuid, of_file uuid)
RETURNS TABLE (file uuid, number int, kind text, amount bigint, side smallint, currency text, fee bigint, provider_reference text,
    reference text, at timestamptz)
LANGUAGE sql STABLE AS $$
    SELECT l.file, l.number, l.kind, l.amount, l.side, l.currency, l.fee, l.provider_reference, l.reference, l.at
      FROM (SELECT n.* FROM paystream.settlement_line n WHERE n.merchant = of_merchant AND n.file = of_file
            UNION ALL
            SELECT n.* FROM paystream.settlement_exception x
              JOIN paystream.settlement_line n ON n.merchant = of_merchant AND n.file = x.file AND n.number = x.line
             WHERE x.merchant = of_merchant AND x.account = of_account AND x.ended_act IS NULL AND x.file IS NOT NULL
               AND x.class IN ('missingHere', 'duplicate', 'currency') AND x.file IS DISTINCT FROM of_file) l
     WHERE l.kind IN ('captured', 'refunded', 'refundReversed', 'disputed', 'disputeWon', 'disputeLost')
       AND NOT EXISTS (SELECT FROM paystream.settlement_match x
                        WHERE x.merchant = of_merchant AND x.file = l.file AND x.line = l.number AND x.ended_act IS NULL)
       AND NOT EXISTS (SELECT FROM paystream.settlement_withdrawal w
                        WHERE w.merchant = of_merchant AND w.file = l.file AND w.line = l.number)
$$;
