-- The report 'uncommanded': what moved though nobody here asked for it.
CREATE OR REPLACE FUNCTION paystream.report_uncommanded(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (day date, kind text, provider text, account text, mode text, currency text, movement text,
    parts bigint, amount numeric)
LANGUAGE sql STABLE AS $$
    SELECT v.day, v.kind, v.provider, v.account, v.mode, v.currency, v.movement, sum(v.items), sum(v.amount)
      FROM paystream.moved(of_merchant, zone, first_day, end_day, of_mode, as_of, by_effective) v
     WHERE NOT v.commanded AND v.movement IN (
               'authorised', 'holdCaptured', 'holdReleased', 'captured', 'refunded', 'refundReversed', 'transferred', 'claimed')
     GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
$$;
