-- What providers say that they settled, and how it is held against what moved. Evidence is only added to; what no longer holds says by
-- which act it ended.

-- One act of an import, a review or a person. Everything that it wrote is of its place in the log, so that a report can be made again
-- as of any position.
CREATE TABLE paystream.settlement_act (
    merchant int NOT NULL REFERENCES paystream.merchant (id),
    id uuid NOT NULL,
    pos bigint NOT NULL,
    at timestamptz NOT NULL,
    actor text NOT NULL,
    -- import · review · assign · propose · approve
    what text NOT NULL,
    PRIMARY KEY (merchant, id)
);

-- An account that is reconciled; its row is held by whoever changes anything of it.
CREATE TABLE paystream.settlement_account (
    merchant int NOT NULL,
    account uuid NOT NULL,
    name text NOT NULL,
    mode text NOT NULL,
    provider text NOT NULL,
    -- Of the newest mapping: days behind a movement after which it should have been settled.
    delay_days int NOT NULL DEFAULT 5,
    -- The begin of the first file's period, and the end of the last one's.
    since timestamptz,
    through timestamptz,
    PRIMARY KEY (merchant, account)
);

-- A version is never changed.
CREATE TABLE paystream.settlement_mapping (
    merchant int NOT NULL,
    account uuid NOT NULL,
    version int NOT NULL CHECK (version >= 1),
    document json NOT NULL,
    kept_by text NOT NULL,
    kept_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (merchant, account, version)
);

CREATE TABLE paystream.settlement_file (
    merchant int NOT NULL,
    id uuid NOT NULL,
    account uuid NOT NULL,
    -- SHA-256 of its bytes as they came.
    digest bytea NOT NULL,
    mapping int NOT NULL,
    act uuid NOT NULL,
    -- The period that it is about: [begin, end).
    begins_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    -- Whether whoever brought it named the period.
    is_stated boolean NOT NULL,
    lines int NOT NULL,
    totals json NOT NULL,
    -- The file that it corrects.
    corrects uuid,
    PRIMARY KEY (merchant, id),
    UNIQUE (merchant, account, digest, mapping)
);

CREATE TABLE paystream.settlement_line (
    merchant int NOT NULL,
    file uuid NOT NULL,
    -- Where it begins in its file.
    number int NOT NULL,
    -- NULL where the mapping does not know the file's word.
    kind text,
    word text,
    -- Minor units; `side` says which way they go: 1, -1, or 0.
    amount bigint NOT NULL,
    side smallint NOT NULL,
    currency text NOT NULL,
    fee bigint NOT NULL,
    -- By the mapping's tariff.
    expected_fee bigint,
    provider_reference text,
    reference text,
    at timestamptz NOT NULL,
    PRIMARY KEY (merchant, file, number)
);

CREATE INDEX settlement_line_name ON paystream.settlement_line (merchant, coalesce(provider_reference, reference));

-- Lines that no longer count.
CREATE TABLE paystream.settlement_withdrawal (
    merchant int NOT NULL,
    file uuid NOT NULL,
    line int NOT NULL,
    act uuid NOT NULL,
    -- superseded · repeated · disregarded
    why text NOT NULL,
    PRIMARY KEY (merchant, file, line)
);

-- A line and the movement that it is about, named by the row in which the movement began.
CREATE TABLE paystream.settlement_match (
    merchant int NOT NULL,
    account uuid NOT NULL,
    file uuid NOT NULL,
    line int NOT NULL,
    stream uuid NOT NULL,
    version int NOT NULL,
    number smallint NOT NULL,
    -- operation · reference · amount · person
    how text NOT NULL,
    -- Whether the two may come to different amounts.
    differs boolean NOT NULL,
    act uuid NOT NULL,
    ended_act uuid
);
-- One line to at most one movement.
CREATE UNIQUE INDEX settlement_match_line ON paystream.settlement_match (merchant, file, line) WHERE ended_act IS NULL;
CREATE UNIQUE INDEX settlement_match_movement ON paystream.settlement_match (merchant, stream, version, number) WHERE ended_act IS NULL;
CREATE INDEX settlement_match_act ON paystream.settlement_match (merchant, act);

-- What does not fit. Its class and its amount never change: where they would, it ends and another begins.
CREATE TABLE paystream.settlement_exception (
    merchant int NOT NULL,
    id uuid NOT NULL,
    account uuid NOT NULL,
    -- missingHere · missingThere · amount · fee · currency · duplicate · timing · unknownKind
    class text NOT NULL,
    file uuid,
    line int,
    stream uuid,
    version int,
    number smallint,
    -- What our books have more than the file, in minor units of `currency`.
    amount bigint NOT NULL,
    currency text NOT NULL,
    -- When what it is about happened, and since when it does not fit.
    at timestamptz NOT NULL,
    since timestamptz NOT NULL,
    owner text,
    act uuid NOT NULL,
    ended_act uuid,
    -- matched · overdue · superseded · agreed · linked · adjusted · disregarded
    outcome text,
    PRIMARY KEY (merchant, id)
);
CREATE INDEX settlement_exception_open ON paystream.settlement_exception (merchant, since, id) WHERE ended_act IS NULL;
CREATE UNIQUE INDEX settlement_exception_line ON paystream.settlement_exception (merchant, file, line, class)
    WHERE ended_act IS NULL AND file IS NOT NULL;
CREATE INDEX settlement_exception_of_line ON paystream.settlement_exception (merchant, file, line) WHERE file IS NOT NULL;
CREATE INDEX settlement_exception_adjusted ON paystream.settlement_exception (merchant, account) WHERE outcome = 'adjusted';
CREATE INDEX settlement_exception_act ON paystream.settlement_exception (merchant, act);
CREATE INDEX settlement_exception_movement ON paystream.settlement_exception (merchant, stream, version, number)
    WHERE stream IS NOT NULL;

-- What became of an exception, step by step.
CREATE TABLE paystream.settlement_step (
    merchant int NOT NULL,
    exception uuid NOT NULL,
    number int NOT NULL,
    act uuid NOT NULL,
    -- assigned · proposed · approved
    kind text NOT NULL,
    detail json NOT NULL,
    PRIMARY KEY (merchant, exception, number)
);

-- What a file alone proves, or two persons decided: entries of the books beside the movements.
CREATE TABLE paystream.settlement_entry (
    merchant int NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    account uuid NOT NULL,
    -- payout · reserveHeld · reserveReturned · fee · adjustment
    kind text NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    effective_at timestamptz NOT NULL,
    act uuid NOT NULL,
    file uuid,
    line int,
    exception uuid,
    -- The payment, transfer or batch that it is about, where it is about one.
    stream uuid,
    stream_kind smallint,
    PRIMARY KEY (merchant, act, id)
);
CREATE INDEX settlement_entry_stream ON paystream.settlement_entry (merchant, stream) WHERE stream IS NOT NULL;
CREATE INDEX settlement_entry_exception ON paystream.settlement_entry (merchant, exception) WHERE exception IS NOT NULL;
CREATE INDEX settlement_entry_line ON paystream.settlement_entry (merchant, file, line) WHERE file IS NOT NULL;

-- Movements by account and day, and what evidence changed of them afterwards.
CREATE INDEX movement_changed ON paystream.movement (merchant, account, known_at) WHERE items <> 1;
CREATE INDEX movement_account ON paystream.movement (merchant, account, effective_at) WHERE items = 1;

-- The ground of ledger and reports: what evidence of payments shows, and what settlement alone proves.
CREATE VIEW paystream.booked WITH (security_invoker = true) AS
SELECT v.merchant, v.stream, v.stream_kind, v.pos, v.number, v.kind, v.amount, v.currency, v.items, v.effective_at, v.known_at, v.part,
       v.operation_reference, v.provider_reference, v.reference, v.customer, v.account, v.account_name, v.account_mode, v.provider,
       v.method, v.country, v.payee, v.schedule, v.batch, v.evidence, v.commanded, v.cause
  FROM paystream.movement v
UNION ALL
SELECT e.merchant, e.stream, e.stream_kind, a.pos, 0::smallint, e.kind, e.amount, e.currency, 1, e.effective_at, a.at, NULL,
       NULL, l.provider_reference, l.reference, NULL, e.account, c.name, c.mode, c.provider,
       NULL, NULL, NULL, NULL, NULL, CASE WHEN e.exception IS NULL THEN 'settlement' ELSE 'operator' END, false,
       coalesce(e.file, e.act)
  FROM paystream.settlement_entry e
  JOIN paystream.settlement_act a ON a.merchant = e.merchant AND a.id = e.act
  JOIN paystream.settlement_account c ON c.merchant = e.merchant AND c.account = e.account
  LEFT JOIN paystream.settlement_line l ON l.merchant = e.merchant AND l.file = e.file AND l.number = e.line;

CREATE OR REPLACE VIEW paystream.posting_rule (movement, ledger_account, side) WITH (security_invoker = true) AS VALUES
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
    ('fee', 'fees', 1), ('fee', 'provider', -1),
    ('payout', 'bank', 1), ('payout', 'provider', -1),
    ('reserveHeld', 'reserve', 1), ('reserveHeld', 'provider', -1),
    ('reserveReturned', 'provider', 1), ('reserveReturned', 'reserve', -1),
    ('adjustment', 'provider', 1), ('adjustment', 'suspense', -1);

CREATE OR REPLACE VIEW paystream.movements WITH (security_invoker = true) AS
SELECT m.name AS merchant,
       CASE v.stream_kind WHEN 7 THEN 'transfer' WHEN 1 THEN 'payment' WHEN 6 THEN 'bill' ELSE 'settlement' END AS kind,
       CASE v.stream_kind WHEN 7 THEN 'trf_' WHEN 1 THEN 'pay_' WHEN 6 THEN 'bat_' ELSE 'stl_' END
           || replace(coalesce(v.batch, v.stream, v.cause)::text, '-', '') AS id,
       v.kind AS movement, v.known_at AS at, v.effective_at, v.amount, v.currency, v.items, v.provider, v.account,
       v.account_name, v.account_mode AS mode, v.reference, v.customer, v.part, v.operation_reference, v.provider_reference, v.method,
       v.country, v.payee, 'sch_' || replace(v.schedule::text, '-', '') AS schedule, v.evidence, v.commanded, v.cause,
       v.pos AS position, v.number
  FROM paystream.booked v JOIN paystream.merchant m ON m.id = v.merchant;

CREATE OR REPLACE VIEW paystream.postings WITH (security_invoker = true) AS
SELECT m.name AS merchant, v.pos AS position, v.number, v.known_at AS at, v.effective_at, r.ledger_account,
       v.amount * r.side AS amount, v.currency, v.provider, v.account, v.account_mode AS mode, v.kind AS movement,
       CASE v.stream_kind WHEN 7 THEN 'trf_' WHEN 1 THEN 'pay_' WHEN 6 THEN 'bat_' ELSE 'stl_' END
           || replace(coalesce(v.batch, v.stream, v.cause)::text, '-', '') AS id
  FROM paystream.booked v
  JOIN paystream.merchant m ON m.id = v.merchant
  JOIN paystream.posting_rule r ON r.movement = v.kind;
