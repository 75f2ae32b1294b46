-- Whether a line is one of the account's that counts: nobody withdrew it, and it is not in question.
CREATE OR REPLACE FUNCTION paystream.settlement_counts(o paystream.settlement_line, of_account uuid) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT paystream.settlement_belongs(o, of_account)
       AND NOT EXISTS (SELECT FROM paystream.settlement_exception x
                        WHERE x.merchant = o.merchant AND x.file = o.file AND x.line = o.number AND x.ended_act IS NULL)
$$;
