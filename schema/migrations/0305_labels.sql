-- Payments are found by the merchant's labels. The next version of the read model writes them: `projections rebuild --swap payment_view`.

DROP FUNCTION IF EXISTS paystream.payment_view_apply;
-- Codes of the pairs of its metadata, which a payment keeps as it was created; NULL without any.
ALTER TABLE paystream.payment_view ADD COLUMN labels uuid[];

-- The same, a row for each pair: what leads to the newest payments of a pair, however many have it.
CREATE TABLE paystream.payment_label (
    merchant int NOT NULL,
    label uuid NOT NULL,
    created_at timestamptz NOT NULL,
    id uuid NOT NULL,
    PRIMARY KEY (merchant, label, created_at, id)
);
