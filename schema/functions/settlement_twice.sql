-- Whether a line that was a duplicate is one still: another line of the account that nobody withdrew is alike, and is of no file of `besides`.
-- See `settlement_raise` for what is alike.
CREATE OR REPLACE FUNCTION paystream.settlement_twice(n paystream.settlement_line, of_account uuid, besides uuid[]) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM paystream.settlement_line o
         WHERE o.merchant = n.merchant AND coalesce(o.provider_reference, o.reference) = coalesce(n.provider_reference, n.reference)
           AND o.amount = n.amount AND coalesce(o.reference, '') = coalesce(n.reference, '') AND o.kind = n.kind AND o.currency = n.currency
           AND (o.file, o.number) <> (n.file, n.number) AND o.file <> ALL (besides) AND paystream.settlement_belongs(o, of_account))
        OR EXISTS (
        SELECT FROM paystream.settlement_like(n) o WHERE o.file <> ALL (besides) AND paystream.settlement_belongs(o, of_account));
END
$$;
