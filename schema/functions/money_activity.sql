-- What moved between two days of a zone, by day and currency, of accounts of a mode (NULL is every one): the sums of the report of turnover as it
-- is now, counted while they were written. Minor units.
CREATE OR REPLACE FUNCTION paystream.money_activity(of_merchant int, zone text, first_day date, end_day date, of_mode text)
RETURNS TABLE (day date, currency text, captured numeric, refunded numeric, charged_back numeric, fees numeric, net numeric)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, money_activity.zone);
BEGIN
    RETURN QUERY
    SELECT s.day, s.currency, s.captured, s.refunded, s.charged_back, s.fees, s.captured - s.refunded - s.charged_back - s.fees
      FROM (SELECT (c.at AT TIME ZONE named)::date AS day, c.currency,
                   coalesce(sum(c.amount) FILTER (WHERE c.kind = 'captured'), 0) AS captured,
                   coalesce(sum(CASE c.kind WHEN 'refunded' THEN c.amount WHEN 'refundReversed' THEN -c.amount END), 0) AS refunded,
                   coalesce(sum(c.amount) FILTER (WHERE c.kind = 'disputeLost'), 0) AS charged_back,
                   coalesce(sum(c.amount) FILTER (WHERE c.kind = 'fee'), 0) AS fees
              FROM paystream.money_count c
             WHERE c.merchant = of_merchant AND (of_mode IS NULL OR c.account_mode = of_mode)
               AND c.at >= paystream.day_begins(first_day, named) AND c.at < paystream.day_begins(end_day, named)
             GROUP BY 1, 2) s
     ORDER BY 1, 2;
END
$$;
