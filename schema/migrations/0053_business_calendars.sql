-- Days without business, by name and version: a version is never changed, the newest one holds.
CREATE TABLE paystream.business_calendar (
    name text NOT NULL CHECK (name <> '' AND octet_length(name) <= 64),
    version int NOT NULL CHECK (version >= 1),
    document json NOT NULL,
    adopted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (name, version)
);
