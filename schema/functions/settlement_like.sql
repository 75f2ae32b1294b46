-- The lines of other files that say what a line that books itself says: a payout by its name, whatever its amount is, and without any name what is
-- alike to its moment. Fees and reserves with a name go by name and amount, as lines of movements do.
CREATE OR REPLACE FUNCTION paystream.settlement_like(n paystream.settlement_line) RETURNS SETOF paystream.settlement_line
LANGUAGE sql STABLE AS $$
    SELECT o.* FROM paystream.settlement_line o
     WHERE n.kind = 'payout' AND o.merchant = n.merchant AND o.provider_reference = n.provider_reference AND o.kind = 'payout'
       AND o.currency = n.currency AND o.file <> n.file
    UNION ALL
    SELECT o.* FROM paystream.settlement_line o
     WHERE n.provider_reference IS NULL AND n.reference IS NULL AND o.merchant = n.merchant AND o.at = n.at AND o.amount = n.amount
       AND o.kind = n.kind AND o.currency = n.currency AND o.kind IN ('payout', 'reserveHeld', 'reserveReturned', 'fee')
       AND o.provider_reference IS NULL AND o.reference IS NULL AND o.file <> n.file
$$;
