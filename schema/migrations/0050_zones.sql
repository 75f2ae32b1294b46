-- Time zone data that decisions are made with: files by the digest that occurrences name, and which of them holds now.

CREATE TABLE paystream.zone_file (
    digest text PRIMARY KEY CHECK (digest ~ '^[0-9a-f]{64}$'),
    bytes bytea NOT NULL CHECK (octet_length(bytes) <= 65536),
    added_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- A name keeps its file until somebody adopts another one.
CREATE TABLE paystream.zone (
    name text PRIMARY KEY CHECK (octet_length(name) <= 64),
    digest text NOT NULL REFERENCES paystream.zone_file (digest),
    adopted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
