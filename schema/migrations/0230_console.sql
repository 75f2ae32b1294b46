-- People at the console: their sessions, and the filters that they keep.

-- A session speaks for the API key that began it, and for as long as that key may. Only a hash of its token is kept; one that ended has no row.
CREATE TABLE paystream.console_session (
    hash bytea PRIMARY KEY,
    merchant int NOT NULL,
    key uuid NOT NULL REFERENCES paystream.api_key (id),
    begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- When a person last asked for something, within a quarter of a minute.
    used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    address text NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX console_session_key ON paystream.console_session (key, begun_at);

-- Searches that a key's holder named to find them again.
CREATE TABLE paystream.console_filter (
    key uuid NOT NULL REFERENCES paystream.api_key (id),
    name text NOT NULL,
    merchant int NOT NULL,
    query text NOT NULL,
    PRIMARY KEY (key, name)
);

-- Rows of payments tell why one failed: whatever the log says replaces them.
UPDATE paystream.payment_view SET version = 0;

-- Names of zones as the server knew them at this migration. A newer one is still found in the server's own list; one that is gone fails where it
-- is used.
CREATE TABLE paystream.known_zone (name text PRIMARY KEY);
INSERT INTO paystream.known_zone
SELECT z.name FROM pg_timezone_names z WHERE z.name !~ '(^|/)(localtime|posixrules|Factory)$';
