-- What the event feed and webhooks tell: one row for each thing that a decision changed of a resource, written once, never changed.
CREATE TABLE paystream.public_event (
    merchant int NOT NULL,
    -- Of the last event of the decision, in the log.
    position bigint NOT NULL,
    -- Its place among those of one decision.
    number smallint NOT NULL,
    -- As in payment.captured.
    type text NOT NULL,
    -- Of the stream.
    kind smallint NOT NULL,
    stream uuid NOT NULL,
    version int NOT NULL,
    -- 1, 2, 3 … of the stream.
    sequence bigint NOT NULL,
    occurred_at timestamptz NOT NULL,
    -- The JSON as it is sent, to the byte.
    body bytea NOT NULL,
    PRIMARY KEY (merchant, position, number)
);
-- One resource's, in their order; an id names its place here.
CREATE INDEX public_event_stream ON paystream.public_event (merchant, stream, version, number);
