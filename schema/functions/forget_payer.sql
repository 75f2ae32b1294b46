-- With the key of a data subject goes what its addresses are found by.
CREATE OR REPLACE FUNCTION paystream.forget_payer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR NEW.wrapped IS NULL THEN
        DELETE FROM paystream.payer_index i WHERE i.merchant = OLD.merchant AND i.subject = OLD.subject;
    END IF;
    RETURN NULL;
END
$$;
