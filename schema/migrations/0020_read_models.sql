-- Read models: functions of the log, dropped and rebuilt at will. No write path reads them.

-- One row per payment for lists and searches; what an answer shows is its document.
CREATE TABLE paystream.payment_view (
    merchant int NOT NULL,
    id uuid NOT NULL,
    version int NOT NULL,
    pos bigint NOT NULL,
    status text NOT NULL,
    currency text,
    amount bigint,
    reference text,
    customer text,
    account uuid NOT NULL,
    account_mode text NOT NULL,
    needs_operator boolean NOT NULL,
    has_obligations boolean NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    document json NOT NULL,
    PRIMARY KEY (merchant, id)
) WITH (fillfactor = 70);
CREATE INDEX payment_view_newest ON paystream.payment_view (merchant, created_at DESC, id DESC);
CREATE INDEX payment_view_reference ON paystream.payment_view (merchant, reference) WHERE reference IS NOT NULL;
CREATE INDEX payment_view_customer ON paystream.payment_view (merchant, customer, created_at DESC)
    WHERE customer IS NOT NULL;
CREATE INDEX payment_view_operator ON paystream.payment_view (merchant, created_at DESC) WHERE needs_operator;

-- The accounts of a merchant are few among its streams.
CREATE INDEX stream_account ON paystream.stream (merchant, id) WHERE kind = 8;
