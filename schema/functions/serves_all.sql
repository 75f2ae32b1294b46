-- Whether the login runs the daemon or owns the log: it speaks for every merchant.
--
-- The login is whoever connected: SET ROLE makes nobody another merchant's.
CREATE OR REPLACE FUNCTION paystream.serves_all() RETURNS boolean LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT pg_has_role(session_user, n.nspowner, 'MEMBER') OR EXISTS (
               SELECT FROM pg_roles r
                WHERE r.rolname = 'paystream_app' AND pg_has_role(session_user, r.oid, 'MEMBER'))
      FROM pg_namespace n WHERE n.nspname = 'paystream'
$$;
