-- Whether a line that books itself is booked already, by a line of another file of the account that counts and is not in question.
CREATE OR REPLACE FUNCTION paystream.settlement_alone(n paystream.settlement_line, of_account uuid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF n.kind IS NULL OR n.kind NOT IN ('payout', 'reserveHeld', 'reserveReturned', 'fee') THEN
        RETURN false;
    ELSIF n.provider_reference IS NOT NULL THEN
        RETURN n.kind = 'payout' AND EXISTS (
            SELECT FROM paystream.settlement_line o
             WHERE o.merchant = n.merchant AND o.provider_reference = n.provider_reference AND o.kind = 'payout' AND o.currency = n.currency
               AND o.file <> n.file AND paystream.settlement_counts(o, of_account));
    END IF;
    RETURN n.reference IS NULL AND EXISTS (
        SELECT FROM paystream.settlement_line o
         WHERE o.merchant = n.merchant AND o.at = n.at AND o.amount = n.amount AND o.kind = n.kind AND o.currency = n.currency
           AND o.kind IN ('payout', 'reserveHeld', 'reserveReturned', 'fee') AND o.provider_reference IS NULL AND o.reference IS NULL
           AND o.file <> n.file AND paystream.settlement_counts(o, of_account));
END
$$;
