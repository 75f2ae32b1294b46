-- Names the server that writes the log now: another one, or a restored one, has another system identifier or timeline.
-- An expression without a query, which costs every commit less.
CREATE OR REPLACE FUNCTION paystream.cluster_name() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (pg_control_system()).system_identifier || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
END
$$;
