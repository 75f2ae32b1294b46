-- What became of the payments that began between two days of a zone (`report_zone`; NULL is the merchant's own), of accounts of a mode (NULL is
-- every one): how many there are of each status by day, account and currency, what was asked for, and why the failed ones were refused. They
-- were counted while they were written: the cost grows with the days and not with the payments.
CREATE OR REPLACE FUNCTION paystream.payment_activity(of_merchant int, zone text, first_day date, end_day date, of_mode text)
RETURNS TABLE (day date, provider text, account text, currency text, status text, decline text, payments bigint, amount numeric)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, payment_activity.zone);
BEGIN
    RETURN QUERY
    SELECT (c.at AT TIME ZONE named)::date, c.provider, c.account_name, nullif(c.currency, ''), c.status, nullif(c.decline_class, ''),
           sum(c.payments)::bigint, sum(c.amount)
      FROM paystream.payment_count c
     WHERE c.merchant = of_merchant AND (of_mode IS NULL OR c.account_mode = of_mode)
       AND c.at >= paystream.day_begins(first_day, named) AND c.at < paystream.day_begins(end_day, named)
     GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(c.payments) <> 0 ORDER BY 1, 2, 3, 4, 5, 6;
END
$$;
