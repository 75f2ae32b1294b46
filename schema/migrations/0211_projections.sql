-- A read model is shown in one version; the next one is built in a schema of its own.
DELETE FROM paystream.checkpoint c
 WHERE EXISTS (SELECT FROM paystream.checkpoint n
                WHERE n.name = c.name AND (n.version, n.lane) > (c.version, c.lane));
ALTER TABLE paystream.checkpoint DROP CONSTRAINT checkpoint_pkey, DROP COLUMN lane, DROP COLUMN fence,
    DROP COLUMN lease_until, DROP COLUMN owner, ADD PRIMARY KEY (name);
