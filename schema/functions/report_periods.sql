-- The report 'periods': the ledger by the month in which an entry is booked. That is the month of its day, or, where that was closed before the entry was known, the
-- first month that was open then. `from_earlier` is what of the change belongs to months that were closed.
CREATE OR REPLACE FUNCTION paystream.report_periods(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (period date, ledger_account text, provider text, account text, mode text, currency text,
    opening numeric, debit numeric, credit numeric, closing numeric, from_earlier numeric)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, coalesce(report_periods.zone, paystream.books_zone(of_merchant)));
BEGIN
    IF EXISTS (SELECT FROM paystream.closed_period c WHERE c.merchant = of_merchant AND c.zone <> named) THEN
        RAISE EXCEPTION 'months are closed in the zone %', paystream.books_zone(of_merchant) USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    RETURN QUERY
    WITH booked AS (
        SELECT CASE WHEN c.month >= b.month THEN (c.month + interval '1 month')::date ELSE b.month END AS month, b.month AS own,
               r.ledger_account, v.provider, v.account_name, v.account_mode, v.currency, v.amount::numeric * r.side AS amount
          FROM paystream.booked v
          JOIN paystream.posting_rule r ON r.movement = v.kind,
               LATERAL (SELECT date_trunc('month', (CASE WHEN by_effective THEN v.effective_at ELSE v.known_at END)
                                                   AT TIME ZONE named)::date) AS b (month),
               LATERAL (SELECT max(p.month) FROM paystream.closed_period p WHERE p.merchant = of_merchant AND p.pos < v.pos) AS c (month)
         WHERE v.merchant = of_merchant AND v.pos <= as_of AND (of_mode IS NULL OR v.account_mode = of_mode)),
    changes AS (
        SELECT b.month, b.ledger_account, b.provider, b.account_name, b.account_mode, b.currency,
               sum(greatest(b.amount, 0)) AS debit, sum(greatest(-b.amount, 0)) AS credit, sum(b.amount) AS change,
               coalesce(sum(b.amount) FILTER (WHERE b.own < b.month), 0) AS late
          FROM booked b GROUP BY 1, 2, 3, 4, 5, 6),
    running AS (
        SELECT c.*, sum(c.change) OVER (PARTITION BY c.ledger_account, c.provider, c.account_name, c.account_mode, c.currency
                                        ORDER BY c.month) AS closing
          FROM changes c)
    SELECT w.month, w.ledger_account, w.provider, w.account_name, w.account_mode, w.currency,
           w.closing - w.change, w.debit, w.credit, w.closing, w.late
      FROM running w
     WHERE (first_day IS NULL OR w.month >= date_trunc('month', first_day)) AND (end_day IS NULL OR w.month < end_day)
     ORDER BY 1, 2, 3, 4, 5, 6;
END
$$;
