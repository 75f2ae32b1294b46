-- The report 'fees': what providers kept by day, and what payers paid them on top.
CREATE OR REPLACE FUNCTION paystream.report_fees(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (day date, kind text, provider text, account text, mode text, currency text,
    fees numeric, payer_commission numeric, captured numeric)
LANGUAGE sql STABLE AS $$
    SELECT v.day, v.kind, v.provider, v.account, v.mode, v.currency,
           coalesce(sum(v.amount) FILTER (WHERE v.movement = 'fee'), 0),
           coalesce(sum(v.amount) FILTER (WHERE v.movement = 'payerCommission'), 0),
           coalesce(sum(v.amount) FILTER (WHERE v.movement = 'captured'), 0)
      FROM paystream.moved(of_merchant, zone, first_day, end_day, of_mode, as_of, by_effective) v
     WHERE v.movement IN ('fee', 'payerCommission', 'captured')
     GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
$$;
