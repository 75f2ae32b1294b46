-- Registers beside the log: followers' places, roles, keys, sealed originals, refused notifications, audit of access.

-- How far a follower has come; moved in the follower's own transaction, guarded by place and fence.
CREATE TABLE paystream.checkpoint (
    name text NOT NULL,
    version int NOT NULL,
    lane smallint NOT NULL DEFAULT 0,
    pos bigint NOT NULL DEFAULT 0,
    fence bigint NOT NULL DEFAULT 0,
    lease_until timestamptz NOT NULL DEFAULT '-infinity',
    owner text,
    PRIMARY KEY (name, version, lane)
) WITH (fillfactor = 50);

-- One node at a time does what a role is for; the server's clock decides.
CREATE TABLE paystream.role_lease (
    role text PRIMARY KEY,
    owner text NOT NULL,
    fence bigint NOT NULL,
    lease_until timestamptz NOT NULL
) WITH (fillfactor = 50);

-- The key that personal fields of one data subject are sealed under; destroying it erases them. Envelopes name the key,
-- not the subject: one that was destroyed stays distinct from one made later.
CREATE TABLE paystream.subject_key (
    merchant int NOT NULL,
    subject uuid NOT NULL,
    key uuid NOT NULL,
    wrapped bytea,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    destroyed_at timestamptz,
    PRIMARY KEY (merchant, subject),
    UNIQUE (merchant, key),
    CHECK ((wrapped IS NULL) = (destroyed_at IS NOT NULL))
);

-- The original bytes of an input, sealed under a key of their own, for a short time.
CREATE TABLE paystream.input_original (
    merchant int NOT NULL,
    input uuid NOT NULL,
    sealed bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (merchant, input)
);
CREATE INDEX input_original_expiry ON paystream.input_original (expires_at);

-- API keys; only a hash of the secret is kept. A key without a merchant acts for the operator of the installation.
CREATE TABLE paystream.api_key (
    id uuid PRIMARY KEY,
    merchant int REFERENCES paystream.merchant (id),
    name text NOT NULL,
    hash bytea NOT NULL UNIQUE,
    scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz,
    revoked_at timestamptz
);

-- Who was given what only an SDK or an auditor may see, and when.
CREATE TABLE paystream.access_record (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    merchant int NOT NULL,
    stream_kind smallint NOT NULL,
    stream uuid NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    detail json NOT NULL
);
CREATE INDEX access_record_stream ON paystream.access_record (merchant, stream, id);

-- Notifications that failed authentication or name no account: a bounded, expiring shelf outside the log.
CREATE TABLE paystream.quarantine (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL,
    merchant int,
    source text NOT NULL,
    reason text NOT NULL,
    meta json NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX quarantine_expiry ON paystream.quarantine (expires_at);
