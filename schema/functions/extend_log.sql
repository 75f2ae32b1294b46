-- Creates event partitions ahead of the last position, so that an append never lacks one; answers how many it made.
--
-- A partition is built beside the log and attached: attaching takes a lock that appends don't wait for. It belongs to
-- the schema's owner, whoever calls: the daemon may extend the log and not change a table.
CREATE OR REPLACE FUNCTION paystream.extend_log(ahead int DEFAULT 2, rows_each bigint DEFAULT 20000000)
RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    last bigint;
    next bigint;
    made int := 0;
    part text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('paystream.extend_log', 0));
    SELECT CASE WHEN q.is_called THEN q.last_value ELSE 0 END INTO last FROM paystream.pos_seq q;
    SELECT coalesce(max((regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \(''?(\d+)''?\)'))[1]::bigint), 0)
      INTO next
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'paystream.event'::regclass;
    WHILE next <= last + ahead * rows_each LOOP
        part := format('event_%s', next);
        EXECUTE format('CREATE TABLE paystream.%I (LIKE paystream.event INCLUDING DEFAULTS INCLUDING STORAGE '
            'INCLUDING COMPRESSION INCLUDING CONSTRAINTS)', part);
        EXECUTE format('ALTER TABLE paystream.%I ADD CONSTRAINT place CHECK (pos >= %s AND pos < %s)',
            part, next, next + rows_each);
        EXECUTE format('ALTER TABLE paystream.event ATTACH PARTITION paystream.%I FOR VALUES FROM (%s) TO (%s)',
            part, next, next + rows_each);
        EXECUTE format('ALTER TABLE paystream.%I DROP CONSTRAINT place', part);
        EXECUTE format('ALTER TABLE paystream.%I SET (autovacuum_analyze_scale_factor = 0.01)', part);
        next := next + rows_each;
        made := made + 1;
    END LOOP;
    RETURN made;
END
$$;
