-- Outgoing webhooks: where each endpoint stands in the feed, what it is sent, and each attempt. The endpoints themselves are streams.

CREATE INDEX stream_webhook_endpoint ON paystream.stream (merchant, id) WHERE kind = 10;

-- One row for each endpoint; a node holds it by a lease while it sends.
CREATE TABLE paystream.webhook_cursor (
    merchant int NOT NULL,
    endpoint uuid NOT NULL,
    -- The last public event that was looked at for it.
    position bigint NOT NULL,
    number smallint NOT NULL,
    owner text,
    lease_until timestamptz NOT NULL DEFAULT '-infinity',
    -- Since when nothing but failures came; NULL behind a success.
    failing_since timestamptz,
    PRIMARY KEY (merchant, endpoint)
);

-- One row for each event that an endpoint is sent.
CREATE TABLE paystream.webhook_delivery (
    merchant int NOT NULL,
    endpoint uuid NOT NULL,
    -- Of the public event; a test event has a negative position of its own.
    position bigint NOT NULL,
    number smallint NOT NULL,
    type text NOT NULL,
    -- Both name the event, with its number.
    stream uuid NOT NULL,
    version int NOT NULL,
    -- 1 waiting, 2 delivered, 3 given up.
    state smallint NOT NULL CHECK (state BETWEEN 1 AND 3),
    -- All attempts, and those before it was last asked for.
    attempts int NOT NULL DEFAULT 0,
    earlier int NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    -- The first attempt since it was last asked for.
    begun_at timestamptz,
    -- The next attempt is due; while one runs, when it counts as lost.
    next_at timestamptz NOT NULL,
    -- Whether an attempt was begun and has no end yet.
    is_running boolean NOT NULL DEFAULT false,
    ended_at timestamptz,
    -- The bytes of a test event; others have theirs in the feed.
    body bytea,
    PRIMARY KEY (merchant, endpoint, position, number)
);
CREATE INDEX webhook_delivery_due ON paystream.webhook_delivery (merchant, endpoint, next_at) WHERE state = 1;
CREATE INDEX webhook_delivery_order ON paystream.webhook_delivery (merchant, endpoint, stream, position, number) WHERE state = 1;
CREATE INDEX webhook_delivery_ended ON paystream.webhook_delivery (ended_at) WHERE state <> 1;

CREATE TABLE paystream.webhook_attempt (
    merchant int NOT NULL,
    endpoint uuid NOT NULL,
    position bigint NOT NULL,
    number smallint NOT NULL,
    -- 1, 2, 3 … of the delivery.
    attempt int NOT NULL,
    at timestamptz NOT NULL,
    milliseconds int NOT NULL,
    -- NULL where no answer's head came.
    status smallint,
    -- Why it counts as failed; NULL where it was delivered.
    failure text,
    -- The first bytes of the answer's body.
    answer bytea,
    PRIMARY KEY (merchant, endpoint, position, number, attempt)
);
