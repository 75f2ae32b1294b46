-- Names the server that writes the log now: another one, or a restored one, has another system identifier or timeline.
CREATE OR REPLACE FUNCTION paystream.cluster_name() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT s.system_identifier FROM pg_control_system() s)
        || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
END
$$;
