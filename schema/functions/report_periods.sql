-- The report 'periods': the ledger by the month in which an entry is booked. That is the month of its day, or, where that was closed before the entry was known, the
-- first month that was open then. `from_earlier` is what of the change belongs to months that were closed. `summed` is what all days come to,
-- where somebody has summed that already (`period_sums`).
CREATE OR REPLACE FUNCTION paystream.report_periods(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false, summed json DEFAULT NULL)
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
    WITH changes AS (
        SELECT c.period AS month, c.ledger_account, c.provider, c.account, c.mode, c.currency, c.debit, c.credit, c.debit - c.credit AS change, c.late
          FROM paystream.period_sums(of_merchant, named, NULL, NULL, of_mode, CASE WHEN summed IS NULL THEN as_of ELSE -1 END, by_effective, summed) c),
    running AS (
        SELECT c.*, sum(c.change) OVER (PARTITION BY c.ledger_account, c.provider, c.account, c.mode, c.currency ORDER BY c.month) AS closing
          FROM changes c)
    SELECT w.month, w.ledger_account, w.provider, w.account, w.mode, w.currency,
           w.closing - w.change, w.debit, w.credit, w.closing, w.late
      FROM running w
     WHERE (first_day IS NULL OR w.month >= date_trunc('month', first_day)) AND (end_day IS NULL OR w.month < end_day)
     ORDER BY 1, 2, 3, 4, 5, 6;
END
$$;
