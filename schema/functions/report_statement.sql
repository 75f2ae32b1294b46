-- The report 'statement': each account of the ledger by day, with what it held when the day began and when it ended.
CREATE OR REPLACE FUNCTION paystream.report_statement(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (day date, ledger_account text, provider text, account text, mode text, currency text,
    opening numeric, debit numeric, credit numeric, closing numeric)
LANGUAGE sql STABLE AS $$
    WITH changes AS (
        SELECT v.day, r.ledger_account, v.provider, v.account, v.mode, v.currency,
               sum(greatest(v.amount * r.side, 0)) AS debit, sum(greatest(v.amount * -r.side, 0)) AS credit, sum(v.amount * r.side) AS change
          FROM paystream.moved(of_merchant, zone, NULL, end_day, of_mode, as_of, by_effective) v
          JOIN paystream.posting_rule r ON r.movement = v.movement
         GROUP BY 1, 2, 3, 4, 5, 6),
    running AS (
        SELECT c.*, sum(c.change) OVER (PARTITION BY c.ledger_account, c.provider, c.account, c.mode, c.currency ORDER BY c.day) AS closing
          FROM changes c)
    SELECT w.day, w.ledger_account, w.provider, w.account, w.mode, w.currency, w.closing - w.change, w.debit, w.credit, w.closing
      FROM running w WHERE first_day IS NULL OR w.day >= first_day
     ORDER BY 1, 2, 3, 4, 5, 6
$$;
