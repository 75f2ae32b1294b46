-- The report 'bills': bills in bulk by who was paid.
CREATE OR REPLACE FUNCTION paystream.report_bills(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (day date, payee text, provider text, account text, mode text, currency text,
    paid bigint, captured numeric, refunded numeric, payer_commission numeric, claimed numeric)
LANGUAGE sql STABLE AS $$
    SELECT v.day, coalesce(v.payee, ''), v.provider, v.account, v.mode, v.currency,
           coalesce(sum(v.items) FILTER (WHERE v.movement = 'captured'), 0)
               - coalesce(sum(v.items) FILTER (WHERE v.movement = 'refunded'), 0),
           coalesce(sum(v.amount) FILTER (WHERE v.movement = 'captured'), 0),
           coalesce(sum(v.amount) FILTER (WHERE v.movement = 'refunded'), 0),
           coalesce(sum(v.amount) FILTER (WHERE v.movement = 'payerCommission'), 0),
           coalesce(sum(v.amount) FILTER (WHERE v.movement = 'claimed'), 0)
      FROM paystream.moved(of_merchant, zone, first_day, end_day, of_mode, as_of, by_effective) v
     WHERE v.kind = 'bill'
     GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
$$;
