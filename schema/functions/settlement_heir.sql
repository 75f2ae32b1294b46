-- The movement that took the place of one that came to nothing: of the same payment, account, kind and currency, and moved by the same
-- operation, or named by the very event that took the other one back. None where a line is matched with it already. What `of_name` names
-- comes first, then the same operation, then the same amount.
CREATE OR REPLACE FUNCTION paystream.settlement_heir(
    of_merchant int, of_stream uuid, of_version int, of_number int, of_name text, of_amount bigint)
RETURNS TABLE (version int, number smallint, side int, amount bigint, currency text, at timestamptz)
LANGUAGE sql STABLE AS $$
    SELECT s.version, s.number, s.side, s.amount, s.currency, s.at
      FROM paystream.movement m
      JOIN paystream.settleable(of_merchant) s
        ON s.stream = m.stream AND s.account = m.account AND s.kind = m.kind AND s.currency = m.currency AND s.amount > 0
      JOIN paystream.movement n
        ON n.merchant = m.merchant AND n.stream = s.stream AND n.version = s.version AND n.number = s.number
     WHERE m.merchant = of_merchant AND m.stream = of_stream AND m.version = of_version AND m.number = of_number
       AND (n.part IS NOT DISTINCT FROM m.part OR EXISTS (
            SELECT FROM paystream.movement x
             WHERE x.merchant = m.merchant AND x.stream = m.stream AND x.version = n.version AND x.kind = m.kind AND x.items = -1
               AND x.part IS NOT DISTINCT FROM m.part AND x.provider_reference IS NOT DISTINCT FROM m.provider_reference))
       AND NOT EXISTS (
            SELECT FROM paystream.settlement_match y
             WHERE y.merchant = m.merchant AND y.stream = s.stream AND y.version = s.version AND y.number = s.number
               AND y.ended_act IS NULL)
     ORDER BY (n.provider_reference IS NOT DISTINCT FROM of_name) DESC, (n.part IS NOT DISTINCT FROM m.part) DESC,
              (s.amount = of_amount) DESC, s.pos, s.number
     LIMIT 1
$$;
