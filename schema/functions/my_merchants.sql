-- The merchants that the login speaks for; the policies of all tables ask it, once in a statement.
CREATE OR REPLACE FUNCTION paystream.my_merchants() RETURNS int[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF paystream.serves_all() THEN
        RETURN ARRAY(SELECT m.id FROM paystream.merchant m);
    END IF;
    RETURN ARRAY(SELECT l.merchant FROM paystream.login l WHERE l.login = session_user);
END
$$;
