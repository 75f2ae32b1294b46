-- Makes a login an analyst's of a merchant: it reads the schema `reporting` and nothing else, read-only, a few connections at once and none for long. Granted again
-- for another merchant, it reads both. The owner calls it, with the right to change roles.
CREATE OR REPLACE FUNCTION paystream.grant_reporting(in_login name, in_merchant text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM paystream.bind_login(in_login, in_merchant);
    EXECUTE format('GRANT paystream_report TO %I', in_login);
    EXECUTE format('ALTER ROLE %I CONNECTION LIMIT 8', in_login);
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET search_path = reporting', in_login, current_database());
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET default_transaction_read_only = on', in_login, current_database());
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET statement_timeout = %L', in_login, current_database(), '60s');
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET idle_in_transaction_session_timeout = %L', in_login, current_database(), '60s');
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET work_mem = %L', in_login, current_database(), '32MB');
    -- Her defaults are hers to set aside; what she could keep here is nobody's. A database that was copied from another one has its own say.
    BEGIN
        EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXCEPTION WHEN insufficient_privilege THEN
        RAISE NOTICE 'temporary tables stay open to every login of this database';
    END;
END
$$;
