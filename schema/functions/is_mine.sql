-- Whether the login speaks for a merchant.
CREATE OR REPLACE FUNCTION paystream.is_mine(merchant int) RETURNS boolean LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN paystream.serves_all() OR EXISTS (
        SELECT FROM paystream.login l WHERE l.login = session_user AND l.merchant = is_mine.merchant);
END
$$;
