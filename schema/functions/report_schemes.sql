-- The report 'schemes': the turnover by the scheme of the card that it was paid with. Amounts are minor units.
CREATE OR REPLACE FUNCTION paystream.report_schemes(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (day date, kind text, provider text, account text, mode text, scheme text, currency text,
    captured numeric, refunded numeric, charged_back numeric, fees numeric, net numeric, transferred numeric, claimed numeric)
LANGUAGE sql STABLE AS $$
    SELECT s.day, s.kind, s.provider, s.account, s.mode, s.scheme, s.currency, s.captured, s.refunded, s.charged_back, s.fees,
           s.captured - s.refunded - s.charged_back - s.fees, s.transferred, s.claimed
      FROM (SELECT v.day, v.kind, v.provider, v.account, v.mode, coalesce(v.scheme, '') AS scheme, v.currency,
                   coalesce(sum(v.amount) FILTER (WHERE v.movement = 'captured'), 0) AS captured,
                   coalesce(sum(CASE v.movement WHEN 'refunded' THEN v.amount WHEN 'refundReversed' THEN -v.amount END), 0) AS refunded,
                   coalesce(sum(v.amount) FILTER (WHERE v.movement = 'disputeLost'), 0) AS charged_back,
                   coalesce(sum(v.amount) FILTER (WHERE v.movement = 'fee'), 0) AS fees,
                   coalesce(sum(v.amount) FILTER (WHERE v.movement = 'transferred'), 0) AS transferred,
                   coalesce(sum(v.amount) FILTER (WHERE v.movement = 'claimed'), 0) AS claimed
              FROM paystream.moved(of_merchant, zone, first_day, end_day, of_mode, as_of, by_effective) v
             WHERE v.movement IN ('captured', 'refunded', 'refundReversed', 'disputeLost', 'fee', 'transferred', 'claimed')
             GROUP BY 1, 2, 3, 4, 5, 6, 7) s
     ORDER BY 1, 2, 3, 4, 5, 6, 7
$$;
