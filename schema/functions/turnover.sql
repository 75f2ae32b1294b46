-- What moved for a merchant, by the day on which it was recorded: a day that is over stays as it was. Days begin in a zone of
-- the IANA database, or in the merchant's own where none is named; NULL bounds nothing and takes every mode. Amounts are minor
-- units; what an app says of bills is `claimed`, and no money yet.
CREATE OR REPLACE FUNCTION paystream.turnover(
    of_merchant int, of_zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL,
    of_mode text DEFAULT 'live')
RETURNS TABLE (day date, kind text, provider text, mode text, currency text, captured numeric, refunded numeric,
               charged_back numeric, transferred numeric, claimed numeric)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    zone CONSTANT text := paystream.report_zone(of_merchant, of_zone);
BEGIN
    RETURN QUERY WITH moved AS (
        SELECT p.at, CASE p.kind WHEN 7 THEN 'transfer' ELSE 'payment' END AS kind, p.what, p.amount::numeric AS amount,
               p.currency, p.provider, p.account_mode
          FROM paystream.payment_movement p WHERE p.merchant = of_merchant
        UNION ALL
        SELECT b.at, 'bill', b.what, b.amount, b.currency, b.provider, b.account_mode
          FROM paystream.bill_movement b WHERE b.merchant = of_merchant
    )
    SELECT (v.at AT TIME ZONE zone)::date, v.kind, v.provider, v.account_mode, v.currency,
           coalesce(sum(v.amount) FILTER (WHERE v.what = 'captured'), 0),
           coalesce(sum(v.amount) FILTER (WHERE v.what = 'refunded'), 0),
           coalesce(sum(v.amount) FILTER (WHERE v.what = 'chargedBack'), 0),
           coalesce(sum(v.amount) FILTER (WHERE v.what = 'transferred'), 0),
           coalesce(sum(v.amount) FILTER (WHERE v.what = 'claimed'), 0)
      FROM moved v
     WHERE v.at >= coalesce(first_day::timestamp AT TIME ZONE zone, '-infinity')
       AND v.at < coalesce(end_day::timestamp AT TIME ZONE zone, 'infinity')
       AND (of_mode IS NULL OR v.account_mode = of_mode)
     GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5;
END
$$;
