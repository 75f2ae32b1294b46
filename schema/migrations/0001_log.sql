-- The log: inputs, decisions and events in one order, and the keys and references that guard it.
--
-- Every key leads with the merchant, an internal number, so that a merchant can become the unit of sharding.

CREATE TABLE paystream.merchant (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name <> '' AND octet_length(name) <= 255),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- One order for inputs, events and decisions. A cache would hand out old values late: the horizon stands on CACHE 1.
CREATE SEQUENCE paystream.pos_seq AS bigint CACHE 1;

-- Fences of mailboxes and effects: they grow for ever, also when a row is deleted and made again.
CREATE SEQUENCE paystream.fence_seq AS bigint CACHE 1;

-- One row per aggregate: its version is the compare-and-set that guards every decision. Updated in place (HOT), so
-- that no index may hold a column that changes.
CREATE TABLE paystream.stream (
    merchant int NOT NULL,
    id uuid NOT NULL,
    kind smallint NOT NULL,
    ver int NOT NULL CHECK (ver >= 0),
    -- Every event of the stream has a position above this one; it lets a load skip older partitions.
    floor_pos bigint NOT NULL,
    PRIMARY KEY (merchant, id)
) WITH (fillfactor = 70);

-- Everything that comes in, kept raw, once; the id is derived from what the input is.
CREATE TABLE paystream.input (
    pos bigint NOT NULL,
    received_at timestamptz NOT NULL,
    merchant int NOT NULL,
    stream_kind smallint NOT NULL,
    kind smallint NOT NULL,
    id uuid NOT NULL,
    stream uuid NOT NULL,
    name text NOT NULL,
    meta json NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (merchant, id)
);
CREATE INDEX input_pos ON paystream.input USING brin (pos) WITH (autosummarize = on);

-- What replay needs to decide the same input again, also for inputs that changed nothing.
CREATE TABLE paystream.decision (
    pos bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    merchant int NOT NULL,
    stream_kind smallint NOT NULL,
    events smallint NOT NULL CHECK (events >= 0),
    base int NOT NULL,
    input uuid NOT NULL,
    stream uuid NOT NULL,
    -- A rejection's stable code and detail; NULL where events (perhaps none) were appended.
    code text,
    detail json,
    context json NOT NULL,
    versions json NOT NULL,
    PRIMARY KEY (merchant, input),
    CHECK (code IS NULL OR events = 0),
    CHECK ((code IS NULL) = (detail IS NULL))
);
CREATE INDEX decision_pos ON paystream.decision (pos);

-- Append-only. The payload is `json` and not `jsonb`: it is hashed and replayed byte for byte.
CREATE TABLE paystream.event (
    pos bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    merchant int NOT NULL,
    ver int NOT NULL,
    stream_kind smallint NOT NULL,
    stream uuid NOT NULL,
    cause uuid NOT NULL,
    type text NOT NULL,
    data json NOT NULL,
    PRIMARY KEY (pos, merchant)
) PARTITION BY RANGE (pos);
CREATE INDEX event_stream ON paystream.event (merchant, stream, ver);

-- Names that a provider or we gave to something of a stream; routing asks this index and never a projection.
CREATE TABLE paystream.reference (
    merchant int NOT NULL,
    stream_kind smallint NOT NULL,
    account uuid NOT NULL,
    stream uuid NOT NULL,
    kind text NOT NULL,
    value text NOT NULL CHECK (octet_length(value) <= 1024),
    PRIMARY KEY (merchant, account, kind, value)
);

-- Commands' keys, for ever. The version is NULL until the command has been decided.
CREATE TABLE paystream.idempotency (
    merchant int NOT NULL,
    stream_kind smallint NOT NULL,
    input uuid NOT NULL,
    stream uuid NOT NULL,
    version int,
    mac bytea NOT NULL,
    PRIMARY KEY (merchant, input)
);

DO $$
BEGIN
    -- Where the server can, large values are compressed with lz4: a third of pglz's time.
    IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
        ALTER TABLE paystream.input ALTER COLUMN body SET COMPRESSION lz4, ALTER COLUMN meta SET COMPRESSION lz4;
        ALTER TABLE paystream.event ALTER COLUMN data SET COMPRESSION lz4;
        ALTER TABLE paystream.decision ALTER COLUMN context SET COMPRESSION lz4;
    END IF;
END
$$;
