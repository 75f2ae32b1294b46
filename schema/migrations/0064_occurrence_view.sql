-- What became of each occurrence of each schedule: a function of the log, written with the schedules' own view.
CREATE TABLE paystream.occurrence_view (
    merchant int NOT NULL,
    schedule uuid NOT NULL,
    ordinal int NOT NULL,
    -- Of the stream, where something of this occurrence changed last.
    version int NOT NULL,
    state text NOT NULL,
    date date,
    due_at timestamptz,
    start_at timestamptz,
    currency text,
    amount bigint,
    attempts int NOT NULL,
    payment uuid,
    ended_at timestamptz,
    reason text,
    policy text,
    policy_version int,
    document json NOT NULL,
    PRIMARY KEY (merchant, schedule, ordinal)
) WITH (fillfactor = 70);
CREATE INDEX occurrence_view_due ON paystream.occurrence_view (merchant, due_at);
CREATE INDEX occurrence_view_payment ON paystream.occurrence_view (merchant, payment) WHERE payment IS NOT NULL;

-- For finance: one row per occurrence, ids as the API writes them. It follows the log by some milliseconds.
CREATE VIEW paystream.schedule_occurrences AS
SELECT m.name AS merchant, 'sch_' || replace(o.schedule::text, '-', '') AS schedule, o.ordinal, o.state, o.date,
       o.due_at, o.start_at, o.amount, o.currency, o.attempts,
       'pay_' || replace(o.payment::text, '-', '') AS payment, o.ended_at, o.reason, o.policy, o.policy_version,
       o.document -> 'tries' AS tries, s.customer, s.reference, o.version
  FROM paystream.occurrence_view o
  JOIN paystream.merchant m ON m.id = o.merchant
  JOIN paystream.schedule_view s ON s.merchant = o.merchant AND s.id = o.schedule;

-- It takes occurrences from now on.
DROP FUNCTION IF EXISTS paystream.schedule_view_apply(
    bigint, bigint, int, int[], uuid[], int[], bigint[], text[], timestamptz[], text[], uuid[], uuid[], uuid[], text[],
    text[], text[], text[], bigint[], bigint[], int[], timestamptz[], timestamptz[], json[]);
