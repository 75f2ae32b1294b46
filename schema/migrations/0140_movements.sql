-- What moved, and when: each movement of money once, where it was recorded, so that a day that is over stays as it was.
-- The payment view has its sums as columns.

DROP FUNCTION IF EXISTS paystream.payment_view_apply(
    bigint, bigint, int, int[], uuid[], int[], bigint[], text[], text[], bigint[], text[], text[], uuid[], text[],
    boolean[], boolean[], timestamptz[], timestamptz[], json[], int[], boolean[]);
DROP FUNCTION IF EXISTS paystream.bill_view_apply(
    bigint, bigint, int, int[], uuid[], int[], bigint[], text[], uuid[], text[], text[], timestamptz[], json[],
    int[], uuid[], int[], bigint[], text[], bigint[], text[], text[], uuid[], json[]);

-- The rows are made again from the log; until then they stay as they were, for lists, figures and recovery read them. The
-- sums are nothing until the follower has passed.
DELETE FROM paystream.checkpoint WHERE name IN ('payment_view', 'bill_view');
ALTER TABLE paystream.payment_view
    ADD COLUMN provider text NOT NULL DEFAULT '',
    ADD COLUMN captured bigint NOT NULL DEFAULT 0,
    ADD COLUMN refunded bigint NOT NULL DEFAULT 0,
    ADD COLUMN transferred bigint NOT NULL DEFAULT 0,
    ADD COLUMN held bigint NOT NULL DEFAULT 0,
    ADD COLUMN in_dispute bigint NOT NULL DEFAULT 0,
    ADD COLUMN charged_back bigint NOT NULL DEFAULT 0;
ALTER TABLE paystream.payment_view
    ALTER COLUMN provider DROP DEFAULT, ALTER COLUMN captured DROP DEFAULT, ALTER COLUMN refunded DROP DEFAULT,
    ALTER COLUMN transferred DROP DEFAULT, ALTER COLUMN held DROP DEFAULT, ALTER COLUMN in_dispute DROP DEFAULT,
    ALTER COLUMN charged_back DROP DEFAULT;
-- Whatever the log says replaces them.
UPDATE paystream.payment_view SET version = 0;
UPDATE paystream.bill_batch_view SET version = 0;
UPDATE paystream.bill_view SET pos = 0;

-- One row per sum that an event of a payment or transfer changed; negative where evidence took something back.
CREATE TABLE paystream.payment_movement (
    merchant int NOT NULL,
    payment uuid NOT NULL,
    version int NOT NULL,
    -- captured · refunded · chargedBack · transferred
    what text NOT NULL,
    at timestamptz NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    kind smallint NOT NULL,
    account uuid NOT NULL,
    account_mode text NOT NULL,
    provider text NOT NULL,
    PRIMARY KEY (merchant, payment, version, what)
);
CREATE INDEX payment_movement_at ON paystream.payment_movement (merchant, at);

-- The same of bills in bulk, by message: what an app claims to have paid is apart from what a provider confirmed.
CREATE TABLE paystream.bill_movement (
    merchant int NOT NULL,
    chunk uuid NOT NULL,
    version int NOT NULL,
    -- captured · claimed · refunded
    what text NOT NULL,
    at timestamptz NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    -- How many bills more, or fewer.
    bills int NOT NULL,
    batch uuid NOT NULL,
    account uuid NOT NULL,
    account_mode text NOT NULL,
    provider text NOT NULL,
    PRIMARY KEY (merchant, chunk, version, what)
);
CREATE INDEX bill_movement_at ON paystream.bill_movement (merchant, at);

-- In which zone the merchant's days begin, for reports.
ALTER TABLE paystream.merchant ADD COLUMN zone text NOT NULL DEFAULT 'UTC';

-- For finance: ids as the API writes them, amounts in minor units. They follow the log by some milliseconds.
CREATE VIEW paystream.movements WITH (security_invoker = true) AS
SELECT m.name AS merchant, CASE p.kind WHEN 7 THEN 'transfer' ELSE 'payment' END AS kind,
       CASE p.kind WHEN 7 THEN 'trf_' ELSE 'pay_' END || replace(p.payment::text, '-', '') AS id,
       p.what AS movement, p.at, p.amount, p.currency, 1 AS items, p.provider, p.account, p.account_mode AS mode
  FROM paystream.payment_movement p JOIN paystream.merchant m ON m.id = p.merchant
UNION ALL
SELECT m.name, 'bill', 'bat_' || replace(b.batch::text, '-', ''), b.what, b.at, b.amount, b.currency, b.bills,
       b.provider, b.account, b.account_mode
  FROM paystream.bill_movement b JOIN paystream.merchant m ON m.id = b.merchant;

CREATE VIEW paystream.payments WITH (security_invoker = true) AS
SELECT m.name AS merchant, CASE v.kind WHEN 7 THEN 'transfer' ELSE 'payment' END AS kind,
       CASE v.kind WHEN 7 THEN 'trf_' ELSE 'pay_' END || replace(v.id::text, '-', '') AS id, v.status, v.reference,
       v.customer, v.amount, v.currency, v.captured, v.refunded, v.transferred, v.held, v.in_dispute, v.charged_back,
       v.provider, v.account, v.account_mode AS mode, v.needs_operator, v.has_obligations, v.created_at, v.updated_at,
       v.version, v.pos AS position
  FROM paystream.payment_view v JOIN paystream.merchant m ON m.id = v.merchant;
