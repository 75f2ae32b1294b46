-- What became of the payments that began between two days of a zone (`report_zone`; NULL is the merchant's own), of accounts of a mode (NULL is
-- every one): how many there are of each status by day, account and currency, what was asked for, and why the failed ones were refused.
CREATE OR REPLACE FUNCTION paystream.payment_activity(of_merchant int, zone text, first_day date, end_day date, of_mode text)
RETURNS TABLE (day date, provider text, account text, currency text, status text, decline text, payments bigint, amount numeric)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, payment_activity.zone);
BEGIN
    RETURN QUERY
    SELECT (v.created_at AT TIME ZONE named)::date, v.provider, v.document -> 'account' ->> 'name', v.currency, v.status,
           CASE v.status WHEN 'failed' THEN coalesce(v.document -> 'decline' ->> 'class', 'unknown') END,
           count(*), coalesce(sum(v.amount), 0)
      FROM paystream.payment_view v
     WHERE v.merchant = of_merchant AND (of_mode IS NULL OR v.account_mode = of_mode)
       AND v.created_at >= first_day::timestamp AT TIME ZONE named AND v.created_at < end_day::timestamp AT TIME ZONE named
     GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6;
END
$$;
