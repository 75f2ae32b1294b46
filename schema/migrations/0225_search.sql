-- Payments are found by anything that a support agent has: what a row says, what a provider calls it, who paid and with which card.

DROP FUNCTION IF EXISTS paystream.payment_view_apply;
-- The rows are made again from the log; until then they stay as they were.
DELETE FROM paystream.checkpoint WHERE name = 'payment_view';
ALTER TABLE paystream.payment_view
    -- How it was asked for, as in `hosted`.
    ADD COLUMN method text NOT NULL DEFAULT '',
    -- The saved credential that it charges.
    ADD COLUMN instrument uuid;
ALTER TABLE paystream.payment_view ALTER COLUMN method DROP DEFAULT;
UPDATE paystream.payment_view SET version = 0;

-- Each index has its rows in the order of lists, newest first, and is of columns that a payment keeps: a status that changes writes
-- none of them anew.
DROP INDEX paystream.payment_view_reference, paystream.payment_view_customer, paystream.payment_view_operator;
CREATE INDEX payment_view_reference ON paystream.payment_view (merchant, reference, created_at DESC, id DESC)
    WHERE reference IS NOT NULL;
CREATE INDEX payment_view_customer ON paystream.payment_view (merchant, customer, created_at DESC, id DESC)
    WHERE customer IS NOT NULL;
CREATE INDEX payment_view_amount ON paystream.payment_view (merchant, amount, created_at DESC, id DESC)
    WHERE amount IS NOT NULL;
CREATE INDEX payment_view_instrument ON paystream.payment_view (merchant, instrument, created_at DESC, id DESC)
    WHERE instrument IS NOT NULL;
CREATE INDEX payment_view_operator ON paystream.payment_view (merchant, created_at DESC, id DESC) WHERE needs_operator;
-- The digits that a masked card shows: six at its begin and four at its end.
CREATE INDEX instrument_view_card ON paystream.instrument_view (merchant,
    (left(regexp_replace(document ->> 'masked', '[^0-9]', '', 'g'), 6)
        || right(regexp_replace(document ->> 'masked', '[^0-9]', '', 'g'), 4)))
    WHERE document ->> 'masked' IS NOT NULL;

-- Who gave an e-mail address, by a code of it under a key of the installation and for one merchant: never the address itself. It goes
-- with the key of its data subject.
CREATE TABLE paystream.payer_index (
    merchant int NOT NULL,
    code bytea NOT NULL CHECK (octet_length(code) = 20),
    subject uuid NOT NULL,
    -- As the merchant calls him; without a name, the payment that gave the address.
    customer text,
    payment uuid NOT NULL,
    noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (merchant, subject, code)
);
CREATE INDEX payer_index_code ON paystream.payer_index (merchant, code, noted_at DESC);
