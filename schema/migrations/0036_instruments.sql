-- Saved credentials by customer: one row per instrument, a function of the log.
CREATE TABLE paystream.instrument_view (
    merchant int NOT NULL,
    id uuid NOT NULL,
    version int NOT NULL,
    pos bigint NOT NULL,
    status text NOT NULL,
    customer text,
    account uuid NOT NULL,
    created_at timestamptz NOT NULL,
    document json NOT NULL,
    PRIMARY KEY (merchant, id)
) WITH (fillfactor = 70);
CREATE INDEX instrument_view_newest ON paystream.instrument_view (merchant, created_at DESC, id DESC);
CREATE INDEX instrument_view_customer ON paystream.instrument_view (merchant, customer, created_at DESC)
    WHERE customer IS NOT NULL;

-- Rows of payments tell of receipts, commission and disputes now: they are made again from the log.
DELETE FROM paystream.checkpoint WHERE name = 'payment_view';
TRUNCATE paystream.payment_view;
