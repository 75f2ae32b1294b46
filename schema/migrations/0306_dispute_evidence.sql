-- What a merchant lays before the bank about a dispute. Names and contents are sealed under the payer's key, and go with it; the
-- log holds neither.
CREATE TABLE paystream.dispute_evidence (
    merchant int NOT NULL,
    id uuid NOT NULL,
    dispute uuid NOT NULL,
    digest bytea NOT NULL CHECK (octet_length(digest) = 32),
    media_type text NOT NULL,
    bytes int NOT NULL CHECK (bytes > 0),
    name json NOT NULL,
    content json NOT NULL,
    added_at timestamptz NOT NULL,
    added_by text NOT NULL,
    PRIMARY KEY (merchant, id),
    UNIQUE (merchant, dispute, digest)
);
