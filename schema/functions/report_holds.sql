-- The report 'holds': what was held by day, and how holds ended.
CREATE OR REPLACE FUNCTION paystream.report_holds(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (day date, kind text, provider text, account text, mode text, currency text,
    authorised numeric, captured numeric, voided numeric, lapsed numeric, change numeric)
LANGUAGE sql STABLE AS $$
    SELECT v.day, v.kind, v.provider, v.account, v.mode, v.currency,
           coalesce(sum(v.amount) FILTER (WHERE v.movement = 'authorised'), 0),
           coalesce(sum(v.amount) FILTER (WHERE v.movement = 'holdCaptured'), 0),
           coalesce(sum(v.amount) FILTER (WHERE v.movement = 'holdReleased'), 0),
           coalesce(sum(v.amount) FILTER (WHERE v.movement = 'holdExpired'), 0),
           sum(CASE v.movement WHEN 'authorised' THEN v.amount ELSE -v.amount END)
      FROM paystream.moved(of_merchant, zone, first_day, end_day, of_mode, as_of, by_effective) v
     WHERE v.movement IN ('authorised', 'holdCaptured', 'holdReleased', 'holdExpired')
     GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
$$;
