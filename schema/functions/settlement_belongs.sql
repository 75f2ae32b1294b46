-- Whether a line is one of the account's that nobody withdrew.
CREATE OR REPLACE FUNCTION paystream.settlement_belongs(o paystream.settlement_line, of_account uuid) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM paystream.settlement_file f WHERE f.merchant = o.merchant AND f.id = o.file AND f.account = of_account)
       AND NOT EXISTS (SELECT FROM paystream.settlement_withdrawal w
                        WHERE w.merchant = o.merchant AND w.file = o.file AND w.line = o.number)
$$;
