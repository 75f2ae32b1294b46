-- Takes hold of an account: whoever changes anything of its reconciliation waits here. A file may tell of days to come; until when files were
-- brought is never later than now.
CREATE OR REPLACE FUNCTION paystream.settlement_hold(of_merchant int, of_account uuid, of_moment timestamptz)
RETURNS paystream.settlement_account LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    held paystream.settlement_account;
BEGIN
    SELECT * INTO held FROM paystream.settlement_account a WHERE a.merchant = of_merchant AND a.account = of_account FOR UPDATE;
    IF held.through > of_moment THEN
        held.through := of_moment;
    END IF;
    RETURN held;
END
$$;
