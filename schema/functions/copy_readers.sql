-- The views that read tables of the schema, and not through other views.
CREATE OR REPLACE FUNCTION paystream.copy_readers(tables text[]) RETURNS SETOF regclass
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    SELECT DISTINCT v.oid::regclass
      FROM unnest(tables) AS u (place)
      JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = format('paystream.%I', u.place)::regclass
      JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
      JOIN pg_class v ON v.oid = r.ev_class AND v.relkind = 'v'
$$;
