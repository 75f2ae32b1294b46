-- The report 'statement': each account of the ledger by day, with what it held when the day began and when it ended. `carried` is what each
-- account held before the first day, an object each, where somebody has summed that already.
CREATE OR REPLACE FUNCTION paystream.report_statement(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false, carried json DEFAULT NULL)
RETURNS TABLE (day date, ledger_account text, provider text, account text, mode text, currency text,
    opening numeric, debit numeric, credit numeric, closing numeric)
LANGUAGE sql STABLE AS $$
    WITH changes AS (
        SELECT v.day, r.ledger_account, v.provider, v.account, v.mode, v.currency,
               sum(greatest(v.amount * r.side, 0)) AS debit, sum(greatest(v.amount * -r.side, 0)) AS credit, sum(v.amount * r.side) AS change
          FROM paystream.moved(of_merchant, zone, CASE WHEN carried IS NOT NULL THEN first_day END, end_day, of_mode, as_of, by_effective) v
          JOIN paystream.posting_rule r ON r.movement = v.movement
         GROUP BY 1, 2, 3, 4, 5, 6
        UNION ALL
        SELECT NULL, c.ledger_account, c.provider, c.account, c.mode, c.currency, 0, 0, c.closing
          FROM json_to_recordset(carried) AS c (ledger_account text, provider text, account text, mode text, currency text, closing numeric)),
    running AS (
        SELECT c.*, sum(c.change) OVER (PARTITION BY c.ledger_account, c.provider, c.account, c.mode, c.currency
                                        ORDER BY c.day NULLS FIRST) AS closing
          FROM changes c)
    SELECT w.day, w.ledger_account, w.provider, w.account, w.mode, w.currency, w.closing - w.change, w.debit, w.credit, w.closing
      FROM running w WHERE w.day IS NOT NULL AND (first_day IS NULL OR w.day >= first_day)
     ORDER BY 1, 2, 3, 4, 5, 6
$$;
