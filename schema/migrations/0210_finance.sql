-- Movements of every kind have one table and a follower of their own: lists and books are built again apart from each other.

DROP VIEW paystream.movements;
DROP TABLE paystream.payment_movement, paystream.bill_movement;
DROP FUNCTION IF EXISTS paystream.payment_view_apply;
DROP FUNCTION IF EXISTS paystream.bill_view_apply;
DROP FUNCTION IF EXISTS paystream.turnover;
DROP FUNCTION IF EXISTS paystream.turnover_complete;

-- One row per change of money that evidence proved: written once, never changed; what takes something back is below zero.
CREATE TABLE paystream.movement (
    merchant int NOT NULL,
    stream uuid NOT NULL,
    version int NOT NULL,
    -- Its place among the movements of one event.
    number smallint NOT NULL,
    stream_kind smallint NOT NULL,
    pos bigint NOT NULL,
    -- authorised · holdCaptured · holdReleased · holdExpired · captured · refunded · refundReversed · transferred · disputed ·
    -- disputeWon · disputeLost · fee · payerCommission · claimed
    kind text NOT NULL,
    -- Minor units.
    amount bigint NOT NULL,
    currency text NOT NULL,
    -- How many parts more, or fewer.
    items int NOT NULL,
    -- The provider's time where it can be true, else `known_at`; and when the evidence was recorded.
    effective_at timestamptz NOT NULL,
    known_at timestamptz NOT NULL,
    -- Our operation, dispute or bill.
    part text,
    operation_reference text,
    provider_reference text,
    reference text,
    customer text,
    account uuid NOT NULL,
    account_name text NOT NULL,
    account_mode text NOT NULL,
    provider text NOT NULL,
    method text,
    country text,
    payee text,
    schedule uuid,
    batch uuid,
    -- provider · total · operator · dispute · expiry · claim
    evidence text NOT NULL,
    -- Whether somebody here asked for it.
    commanded boolean NOT NULL,
    -- The input that proved it.
    cause uuid NOT NULL,
    PRIMARY KEY (merchant, stream, version, number)
);
CREATE INDEX movement_known ON paystream.movement (merchant, known_at);
CREATE INDEX movement_effective ON paystream.movement (merchant, effective_at);
CREATE INDEX movement_provider_reference ON paystream.movement (merchant, provider_reference)
    WHERE provider_reference IS NOT NULL;

-- Which accounts a movement stands in: 1 on the left (debit), -1 on the right (credit). Every movement's sides sum to zero. What an
-- app claims and what a payer pays the provider on top is in none.
CREATE VIEW paystream.posting_rule (movement, ledger_account, side) WITH (security_invoker = true) AS VALUES
    ('authorised', 'authorised', 1), ('authorised', 'authorisedContra', -1),
    ('holdCaptured', 'authorisedContra', 1), ('holdCaptured', 'authorised', -1),
    ('holdReleased', 'authorisedContra', 1), ('holdReleased', 'authorised', -1),
    ('holdExpired', 'authorisedContra', 1), ('holdExpired', 'authorised', -1),
    ('captured', 'provider', 1), ('captured', 'customers', -1),
    ('refunded', 'customers', 1), ('refunded', 'provider', -1),
    ('refundReversed', 'provider', 1), ('refundReversed', 'customers', -1),
    ('transferred', 'passedOn', 1), ('transferred', 'passedOnContra', -1),
    ('disputed', 'disputed', 1), ('disputed', 'provider', -1),
    ('disputeWon', 'provider', 1), ('disputeWon', 'disputed', -1),
    ('disputeLost', 'chargebacks', 1), ('disputeLost', 'disputed', -1),
    ('fee', 'fees', 1), ('fee', 'provider', -1);

-- For finance: ids as the API writes them, amounts in minor units. They follow the log by some milliseconds.
CREATE VIEW paystream.movements WITH (security_invoker = true) AS
SELECT m.name AS merchant, CASE v.stream_kind WHEN 7 THEN 'transfer' WHEN 1 THEN 'payment' ELSE 'bill' END AS kind,
       CASE v.stream_kind WHEN 7 THEN 'trf_' WHEN 1 THEN 'pay_' ELSE 'bat_' END
           || replace(coalesce(v.batch, v.stream)::text, '-', '') AS id,
       v.kind AS movement, v.known_at AS at, v.effective_at, v.amount, v.currency, v.items, v.provider, v.account,
       v.account_name, v.account_mode AS mode, v.reference, v.customer, v.part, v.operation_reference, v.provider_reference, v.method,
       v.country, v.payee, 'sch_' || replace(v.schedule::text, '-', '') AS schedule, v.evidence, v.commanded, v.cause,
       v.pos AS position, v.number
  FROM paystream.movement v JOIN paystream.merchant m ON m.id = v.merchant;

-- Double entry: every movement as the lines of one entry, which sum to zero. A debit is above zero, a credit below.
CREATE VIEW paystream.postings WITH (security_invoker = true) AS
SELECT m.name AS merchant, v.pos AS position, v.number, v.known_at AS at, v.effective_at, r.ledger_account,
       v.amount * r.side AS amount, v.currency, v.provider, v.account, v.account_mode AS mode, v.kind AS movement,
       CASE v.stream_kind WHEN 7 THEN 'trf_' WHEN 1 THEN 'pay_' ELSE 'bat_' END
           || replace(coalesce(v.batch, v.stream)::text, '-', '') AS id
  FROM paystream.movement v
  JOIN paystream.merchant m ON m.id = v.merchant
  JOIN paystream.posting_rule r ON r.movement = v.kind;
