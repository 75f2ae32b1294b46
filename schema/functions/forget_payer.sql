-- Destroys the key of a data subject, and what its addresses are found by with it. Answers false where there is no such key.
CREATE OR REPLACE FUNCTION paystream.forget_payer(of_merchant int, of_subject uuid) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    UPDATE paystream.subject_key k SET wrapped = NULL, destroyed_at = coalesce(k.destroyed_at, clock_timestamp())
     WHERE k.merchant = of_merchant AND k.subject = of_subject;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM paystream.payer_index i WHERE i.merchant = of_merchant AND i.subject = of_subject;
    RETURN true;
END
$$;
