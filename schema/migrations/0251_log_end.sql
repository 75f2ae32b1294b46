-- The last position of the log when an epoch began: what was given behind it before may have been lost.
ALTER TABLE paystream.recovery_epoch ADD COLUMN log_end bigint;
UPDATE paystream.recovery_epoch r
   SET log_end = coalesce((SELECT e.pos FROM paystream.event e WHERE e.at < r.begun_at ORDER BY e.pos DESC LIMIT 1), 0);
ALTER TABLE paystream.recovery_epoch ALTER COLUMN log_end SET NOT NULL;
