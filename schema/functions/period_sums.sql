-- What the days of a window add to the months in which their entries are booked, and what was summed before, an object each. Months are those of
-- the report 'periods'.
CREATE OR REPLACE FUNCTION paystream.period_sums(
    of_merchant int, zone text, first_day date, end_day date, of_mode text, as_of bigint, by_effective boolean, summed json)
RETURNS TABLE (period date, ledger_account text, provider text, account text, mode text, currency text, debit numeric, credit numeric, late numeric)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, coalesce(period_sums.zone, paystream.books_zone(of_merchant)));
BEGIN
    RETURN QUERY
    SELECT u.month, u.ledger_account, u.provider, u.account_name, u.account_mode, u.currency, sum(u.debit), sum(u.credit), sum(u.late)
      FROM (SELECT b.month, b.ledger_account, b.provider, b.account_name, b.account_mode, b.currency,
                   greatest(b.amount, 0) AS debit, greatest(-b.amount, 0) AS credit, CASE WHEN b.own < b.month THEN b.amount ELSE 0 END AS late
              FROM (SELECT CASE WHEN c.month >= t.month THEN (c.month + interval '1 month')::date ELSE t.month END AS month, t.month AS own,
                           r.ledger_account, v.provider, v.account_name, v.account_mode, v.currency, v.amount::numeric * r.side AS amount
                      FROM paystream.booked v
                      JOIN paystream.posting_rule r ON r.movement = v.kind,
                           LATERAL (SELECT CASE WHEN by_effective THEN v.effective_at ELSE v.known_at END) AS d (at),
                           LATERAL (SELECT date_trunc('month', d.at AT TIME ZONE named)::date) AS t (month),
                           LATERAL (SELECT max(p.month) FROM paystream.closed_period p WHERE p.merchant = of_merchant AND p.pos < v.pos) AS c (month)
                     WHERE v.merchant = of_merchant AND v.pos <= as_of AND (of_mode IS NULL OR v.account_mode = of_mode)
                       AND (first_day IS NULL OR d.at >= paystream.day_begins(first_day, named))
                       AND (end_day IS NULL OR d.at < paystream.day_begins(end_day, named))) b
            UNION ALL
            SELECT s.period, s.ledger_account, s.provider, s.account, s.mode, s.currency, s.debit, s.credit, s.late
              FROM json_to_recordset(summed) AS s (period date, ledger_account text, provider text, account text, mode text, currency text,
                   debit numeric, credit numeric, late numeric)) u
     GROUP BY 1, 2, 3, 4, 5, 6;
END
$$;
