-- What hangs on tables of the schema by their identity and not by their names, as statements that hang it on what has these names then.
CREATE OR REPLACE FUNCTION paystream.copy_along(tables text[]) RETURNS text[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS $$
BEGIN
    RETURN (WITH places AS (
        SELECT c.*, format('paystream.%I', c.relname) AS place
          FROM pg_class c WHERE c.relnamespace = 'paystream'::regnamespace AND c.relname = ANY (tables)),
    hung (step, statement) AS (
        SELECT 1, format('ALTER TABLE %s OWNER TO %I', p.place, pg_get_userbyid(p.relowner)) FROM places p
        UNION ALL
        SELECT 2, format('GRANT %s ON TABLE %s TO %s%s', a.privilege_type, p.place,
                         CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
                         CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
          FROM places p, aclexplode(p.relacl) AS a WHERE a.grantee <> p.relowner
        UNION ALL
        SELECT 2, format('GRANT %s (%I) ON TABLE %s TO %s%s', a.privilege_type, t.attname, p.place,
                         CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
                         CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
          FROM places p JOIN pg_attribute t ON t.attrelid = p.oid AND NOT t.attisdropped, aclexplode(t.attacl) AS a
        UNION ALL
        SELECT 3, format('COMMENT ON TABLE %s IS %L', p.place, obj_description(p.oid, 'pg_class'))
          FROM places p WHERE obj_description(p.oid, 'pg_class') IS NOT NULL
        UNION ALL
        SELECT 4, format('CREATE POLICY %I ON %s AS %s FOR %s TO %s', y.policyname, p.place, y.permissive, y.cmd,
                         (SELECT string_agg(CASE r WHEN 'public' THEN 'PUBLIC' ELSE quote_ident(r) END, ', ') FROM unnest(y.roles) AS r))
                  || coalesce(' USING (' || y.qual || ')', '') || coalesce(' WITH CHECK (' || y.with_check || ')', '')
          FROM places p JOIN pg_policies y ON y.schemaname = 'paystream' AND y.tablename = p.relname
        UNION ALL
        SELECT 5, format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', p.place) FROM places p WHERE p.relrowsecurity
        UNION ALL
        SELECT 5, format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', p.place) FROM places p WHERE p.relforcerowsecurity
        UNION ALL
        SELECT 6, pg_get_triggerdef(t.oid) FROM places p JOIN pg_trigger t ON t.tgrelid = p.oid AND NOT t.tgisinternal
        UNION ALL
        SELECT 7, format('CREATE OR REPLACE VIEW %s %s AS %s', v.oid::regclass,
                         coalesce('WITH (' || array_to_string(v.reloptions, ', ') || ')', ''), pg_get_viewdef(v.oid))
          FROM paystream.copy_readers(tables) AS u (view) JOIN pg_class v ON v.oid = u.view)
    SELECT coalesce(array_agg(h.statement ORDER BY h.step, h.statement), '{}') FROM hung h);
END
$$;
