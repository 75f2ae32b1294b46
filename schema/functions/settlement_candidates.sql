-- Which movements of the account, matched by no line, the open lines may be about, by what a line names: 'operation', the provider's name of
-- the operation itself; 'reference', a name of the payment. Only the merchant's own movements at that account come into question.
CREATE OR REPLACE FUNCTION paystream.settlement_candidates(of_merchant int, of_account uuid, of_file uuid, how text)
RETURNS TABLE (file uuid, line int, line_amount bigint, line_currency text, name text, kind text, stream uuid, version int,
    number smallint, amount bigint, currency text, pos bigint)
LANGUAGE plpgsql STABLE SET jit = off AS $$
BEGIN
    RETURN QUERY
    SELECT l.file, l.number, l.amount, l.currency, c.name, l.kind, c.stream, c.version, c.number, c.amount, c.currency, c.pos
      FROM paystream.settlement_open_lines(of_merchant, of_account, of_file) l
      CROSS JOIN LATERAL (
          SELECT s.*, l.provider_reference AS name FROM paystream.settleable(of_merchant) s
           WHERE how = 'operation' AND s.provider_reference = l.provider_reference
          UNION ALL
          SELECT s.*, r.stream::text FROM (
              SELECT DISTINCT x.stream FROM paystream.reference x
               WHERE how = 'reference' AND x.merchant = of_merchant AND x.account = of_account
                 AND x.kind IN ('payment', 'operation', 'order') AND x.value IN (l.reference, l.provider_reference)) r
            JOIN paystream.settleable(of_merchant) s ON s.stream = r.stream) c
        (account, stream, version, number, stream_kind, kind, side, amount, currency, provider_reference, operation_reference, at, pos,
         name)
     WHERE c.account = of_account AND c.kind = l.kind AND c.amount > 0
       AND NOT EXISTS (SELECT FROM paystream.settlement_match x
                        WHERE x.merchant = of_merchant AND x.stream = c.stream AND x.version = c.version AND x.number = c.number
                          AND x.ended_act IS NULL);
END
$$;
