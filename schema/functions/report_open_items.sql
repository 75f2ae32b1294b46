-- The report 'open-items': money that waits for its end as of a position, by age: holds, disputes, and operations whose outcome nobody knows.
CREATE OR REPLACE FUNCTION paystream.report_open_items(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (item text, provider text, account text, mode text, currency text, age text, items bigint, amount numeric)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, report_open_items.zone);
BEGIN
    RETURN QUERY
    WITH clock AS (SELECT coalesce((SELECT e.at FROM paystream.event e WHERE e.pos <= as_of ORDER BY e.pos DESC LIMIT 1), now()) AS at),
    opened AS (
        SELECT CASE WHEN v.kind IN ('disputed', 'disputeWon', 'disputeLost') THEN 'dispute' ELSE 'hold' END AS item, v.provider,
               v.account_name AS account, v.account_mode AS mode, v.currency,
               min(v.known_at) FILTER (WHERE v.kind IN ('authorised', 'disputed')) AS since,
               sum(CASE WHEN v.kind IN ('authorised', 'disputed') THEN v.amount ELSE -v.amount END)::numeric AS amount
          FROM paystream.movement v
         WHERE v.merchant = of_merchant AND v.pos <= as_of AND v.kind IN
               ('authorised', 'holdCaptured', 'holdReleased', 'holdExpired', 'disputed', 'disputeWon', 'disputeLost')
         GROUP BY 1, 2, 3, 4, 5, v.stream, CASE WHEN v.kind IN ('disputed', 'disputeWon', 'disputeLost') THEN v.part END
        HAVING sum(CASE WHEN v.kind IN ('authorised', 'disputed') THEN v.amount ELSE -v.amount END) > 0
        UNION ALL
        SELECT 'uncertain', f.provider, f.account_name, f.account_mode, coalesce(f.currency, ''),
               max(f.known_at) FILTER (WHERE f.kind = 'uncertain'), coalesce(max(f.amount), 0)
          FROM paystream.fact f
         WHERE f.merchant = of_merchant AND f.pos <= as_of AND f.kind IN ('uncertain', 'certain')
         GROUP BY 1, 2, 3, 4, 5, f.stream, f.part
        HAVING count(*) FILTER (WHERE f.kind = 'uncertain') > count(*) FILTER (WHERE f.kind = 'certain'))
    SELECT o.item, o.provider, o.account, o.mode, o.currency,
           CASE WHEN days.old < 2 THEN '0-1' WHEN days.old < 4 THEN '2-3' WHEN days.old < 8 THEN '4-7' WHEN days.old < 31 THEN '8-30'
                ELSE '31+' END,
           count(*), sum(o.amount)
      FROM opened o, clock,
           LATERAL (SELECT (clock.at AT TIME ZONE named)::date - (o.since AT TIME ZONE named)::date AS old) days
     WHERE (of_mode IS NULL OR o.mode = of_mode)
       AND (first_day IS NULL OR (o.since AT TIME ZONE named)::date >= first_day)
       AND (end_day IS NULL OR (o.since AT TIME ZONE named)::date < end_day)
     GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, min(days.old);
END
$$;
