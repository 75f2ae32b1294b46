-- Lets a login enqueue for a merchant, or read what is his, as the roles that it was granted allow. A login that was bound to
-- nobody enqueues for nobody and reads nothing. The owner calls it; a row of `paystream.login` that is deleted unbinds.
CREATE OR REPLACE FUNCTION paystream.bind_login(in_login name, in_merchant text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    number int;
BEGIN
    SELECT m.id INTO number FROM paystream.merchant m WHERE m.name = in_merchant;
    IF number IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'PS001', MESSAGE = 'no such merchant';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = in_login) THEN
        RAISE EXCEPTION USING ERRCODE = '42704', MESSAGE = format('there is no role %I', in_login);
    END IF;
    INSERT INTO paystream.login (login, merchant) VALUES (in_login, number) ON CONFLICT DO NOTHING;
END
$$;
