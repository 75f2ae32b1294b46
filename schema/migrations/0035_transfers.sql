-- The payment view lists transfers apart from payments, and finds what is disputed.

DROP FUNCTION IF EXISTS paystream.payment_view_apply(
    bigint, bigint, int, int[], uuid[], int[], bigint[], text[], text[], bigint[], text[], text[], uuid[], text[],
    boolean[], boolean[], timestamptz[], timestamptz[], json[]);

-- The rows are made again from the log.
DELETE FROM paystream.checkpoint WHERE name = 'payment_view';
TRUNCATE paystream.payment_view;
ALTER TABLE paystream.payment_view ADD COLUMN kind smallint NOT NULL, ADD COLUMN disputed boolean NOT NULL;

CREATE INDEX payment_view_transfers ON paystream.payment_view (merchant, created_at DESC, id DESC) WHERE kind = 7;
CREATE INDEX payment_view_disputed ON paystream.payment_view (merchant, created_at DESC, id DESC) WHERE disputed;
