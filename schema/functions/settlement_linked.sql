-- The line and the movement that a verdict links: of one account, kind and currency, and neither matched already.
CREATE OR REPLACE FUNCTION paystream.settlement_linked(item paystream.settlement_exception, verdict json)
RETURNS TABLE (file uuid, line int, stream uuid, version int, number smallint)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT l.file, l.number, m.stream, m.version, m.number
      FROM paystream.settlement_line l
      JOIN paystream.settlement_file f ON f.merchant = l.merchant AND f.id = l.file AND f.account = item.account
      JOIN paystream.settleable(item.merchant) m ON m.account = item.account AND m.kind = l.kind AND m.currency = l.currency
     WHERE l.merchant = item.merchant
       AND (item.file IS NOT NULL AND l.file = item.file AND l.number = item.line
                AND m.pos = (verdict ->> 'position')::bigint AND m.number = (verdict ->> 'number')::int
            OR item.file IS NULL AND l.file = (verdict ->> 'file')::uuid AND l.number = (verdict ->> 'line')::int
                AND m.stream = item.stream AND m.version = item.version AND m.number = item.number)
       AND NOT EXISTS (SELECT FROM paystream.settlement_withdrawal w
                        WHERE w.merchant = l.merchant AND w.file = l.file AND w.line = l.number)
       AND NOT EXISTS (SELECT FROM paystream.settlement_match x
                        WHERE x.merchant = item.merchant AND x.ended_act IS NULL
                          AND (x.file = l.file AND x.line = l.number
                               OR x.stream = m.stream AND x.version = m.version AND x.number = m.number));
END
$$;
