-- Recovery epochs: from each of these moments on the newest part of the log may be missing. Number 0 says in which cluster
-- the log began to be watched.
CREATE TABLE paystream.recovery_epoch (
    number int PRIMARY KEY CHECK (number >= 0),
    begun_at timestamptz NOT NULL,
    -- The server that wrote the log then: its system identifier and its timeline.
    cluster text NOT NULL,
    begun_by text NOT NULL,
    reason text NOT NULL,
    -- Messages that may have left before, and whose marks would be lost.
    doubted int NOT NULL CHECK (doubted >= 0),
    -- Payments whose providers are asked.
    woken bigint NOT NULL CHECK (woken >= 0)
);
INSERT INTO paystream.recovery_epoch (number, begun_at, cluster, begun_by, reason, doubted, woken)
SELECT 0, statement_timestamp(), s.system_identifier || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
       'migration', 'the log is watched from here', 0, 0
  FROM pg_control_system() s;
