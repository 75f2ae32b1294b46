-- Endpoints that are sent nothing are not held, what a status asks for comes from an index, and a place among a merchant's endpoints is
-- taken before the endpoint is decided.

ALTER TABLE paystream.webhook_cursor
    -- The version of its stream at which it was found to be disabled: it is looked at again when the stream goes on. NULL while it is sent to.
    ADD COLUMN rests_at int,
    -- Why and since when it is disabled, where nobody of the merchant asked for that.
    ADD COLUMN trouble text,
    ADD COLUMN trouble_since timestamptz;
CREATE INDEX webhook_cursor_resting ON paystream.webhook_cursor (merchant, endpoint) WHERE rests_at IS NOT NULL;
CREATE INDEX webhook_cursor_trouble ON paystream.webhook_cursor (merchant, trouble_since) WHERE trouble IS NOT NULL;

-- Those that wait are few for each endpoint, and have their own indexes.
CREATE INDEX webhook_delivery_state ON paystream.webhook_delivery (merchant, endpoint, state, position, number) WHERE state <> 1;

-- Endpoints that are about to be made.
CREATE TABLE paystream.webhook_reservation (
    merchant int NOT NULL,
    endpoint uuid NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (merchant, endpoint)
);

DROP FUNCTION IF EXISTS paystream.webhook_claim(text, bigint, int);
DROP FUNCTION IF EXISTS paystream.webhook_take(text, bigint, int[], uuid[], text[], boolean[], int[]);
DROP FUNCTION IF EXISTS paystream.webhook_redeliver(int, uuid, bigint, smallint, bigint, smallint, text[], int);
