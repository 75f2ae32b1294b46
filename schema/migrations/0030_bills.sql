-- Read models of bills in bulk: functions of the log, dropped and rebuilt at will. No write path reads them.

-- One row per batch; what an answer shows is its document.
CREATE TABLE paystream.bill_batch_view (
    merchant int NOT NULL,
    id uuid NOT NULL,
    version int NOT NULL,
    pos bigint NOT NULL,
    status text NOT NULL,
    account uuid NOT NULL,
    reference text,
    customer text,
    created_at timestamptz NOT NULL,
    document json NOT NULL,
    PRIMARY KEY (merchant, id)
) WITH (fillfactor = 70);
CREATE INDEX bill_batch_view_newest ON paystream.bill_batch_view (merchant, created_at DESC, id DESC);

-- One row per bill of a batch, in the order of the upload. A bill that no message carried yet waits.
CREATE TABLE paystream.bill_view (
    merchant int NOT NULL,
    batch uuid NOT NULL,
    ordinal int NOT NULL,
    -- Position of the event that made the row what it is.
    pos bigint NOT NULL,
    bill text NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    outcome text NOT NULL,
    chunk uuid,
    standing json,
    PRIMARY KEY (merchant, batch, ordinal)
) WITH (fillfactor = 70);
CREATE INDEX bill_view_outcome ON paystream.bill_view (merchant, batch, outcome, ordinal);
CREATE INDEX bill_view_bill ON paystream.bill_view (merchant, bill);
