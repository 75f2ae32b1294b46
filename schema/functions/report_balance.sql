-- The report 'balance': the trial balance of the ledger, by account.
CREATE OR REPLACE FUNCTION paystream.report_balance(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (ledger_account text, provider text, account text, mode text,
    currency text, debit numeric, credit numeric, balance numeric)
LANGUAGE sql STABLE AS $$
    SELECT r.ledger_account, v.provider, v.account, v.mode, v.currency,
           sum(greatest(v.amount * r.side, 0)), sum(greatest(v.amount * -r.side, 0)), sum(v.amount * r.side)
      FROM paystream.moved(of_merchant, zone, first_day, end_day, of_mode, as_of, by_effective) v
      JOIN paystream.posting_rule r ON r.movement = v.movement
     GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
$$;
