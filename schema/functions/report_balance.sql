-- The report 'balance': the trial balance of the ledger, by account. `summed` is what the days come to, where somebody has summed that already
-- (`period_sums`).
CREATE OR REPLACE FUNCTION paystream.report_balance(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false, summed json DEFAULT NULL)
RETURNS TABLE (ledger_account text, provider text, account text, mode text,
    currency text, debit numeric, credit numeric, balance numeric)
LANGUAGE sql STABLE AS $$
    SELECT b.ledger_account, b.provider, b.account, b.mode, b.currency, sum(b.debit), sum(b.credit), sum(b.debit - b.credit)
      FROM (SELECT r.ledger_account, v.provider, v.account, v.mode, v.currency, greatest(v.amount * r.side, 0) AS debit,
                   greatest(v.amount * -r.side, 0) AS credit
              FROM paystream.moved(of_merchant, zone, first_day, end_day, of_mode, CASE WHEN summed IS NULL THEN as_of ELSE -1 END, by_effective) v
              JOIN paystream.posting_rule r ON r.movement = v.movement
            UNION ALL
            SELECT s.ledger_account, s.provider, s.account, s.mode, s.currency, s.debit, s.credit
              FROM json_to_recordset(summed) AS s (ledger_account text, provider text, account text, mode text, currency text, debit numeric,
                   credit numeric)) b
     GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
$$;
