-- Who may do what: roles, networks and rotation of keys; merchants that are suspended.

-- Since when its keys begin nothing new.
ALTER TABLE paystream.merchant ADD COLUMN suspended_at timestamptz;

ALTER TABLE paystream.api_key
    -- The name of a set of scopes; NULL where they were named one by one.
    ADD COLUMN role text,
    -- Networks that it may be used from, as in 10.0.0.0/8; none stands for all.
    ADD COLUMN networks text[] NOT NULL DEFAULT '{}',
    -- Whether a second person has yet to approve it.
    ADD COLUMN awaits_approval boolean NOT NULL DEFAULT false,
    -- The token before the last rotation, and until when it goes on.
    ADD COLUMN old_hash bytea UNIQUE,
    ADD COLUMN old_until timestamptz,
    ADD COLUMN rotated_at timestamptz,
    -- When it was last used, within a minute.
    ADD COLUMN used_at timestamptz,
    ADD CHECK ((old_hash IS NULL) = (old_until IS NULL));
-- The last use is written again and again, beside no index.
ALTER TABLE paystream.api_key SET (fillfactor = 50);
CREATE INDEX api_key_merchant ON paystream.api_key (merchant, created_at);

-- What administrators did is listed by merchant, and their streams are few among many.
CREATE INDEX stream_administered ON paystream.stream (merchant, id) WHERE kind IN (8, 9, 10, 11);
