-- The durable word that bytes may have left, one row per licence that was used; effect rows vanish, these stay.
CREATE TABLE paystream.sending_mark (
    at timestamptz NOT NULL,
    fence bigint NOT NULL,
    merchant int NOT NULL,
    ordinal int NOT NULL CHECK (ordinal >= 1),
    stream_kind smallint NOT NULL,
    stream uuid NOT NULL,
    effect uuid NOT NULL,
    PRIMARY KEY (merchant, stream, effect, ordinal, fence)
);
