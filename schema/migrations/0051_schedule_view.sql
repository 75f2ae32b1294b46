-- Recurring payments by state, next run, instrument and customer: one row per schedule, a function of the log.
CREATE TABLE paystream.schedule_view (
    merchant int NOT NULL,
    id uuid NOT NULL,
    version int NOT NULL,
    pos bigint NOT NULL,
    status text NOT NULL,
    next_at timestamptz,
    customer text,
    instrument uuid,
    fallback uuid,
    account uuid NOT NULL,
    reference text,
    kind text NOT NULL,
    runner text NOT NULL,
    currency text,
    amount bigint,
    collected bigint NOT NULL,
    paid int NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    document json NOT NULL,
    PRIMARY KEY (merchant, id)
) WITH (fillfactor = 70);
CREATE INDEX schedule_view_newest ON paystream.schedule_view (merchant, created_at DESC, id DESC);
CREATE INDEX schedule_view_next ON paystream.schedule_view (merchant, next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX schedule_view_customer ON paystream.schedule_view (merchant, customer, created_at DESC)
    WHERE customer IS NOT NULL;
CREATE INDEX schedule_view_instrument ON paystream.schedule_view (merchant, instrument) WHERE instrument IS NOT NULL;
CREATE INDEX schedule_view_fallback ON paystream.schedule_view (merchant, fallback) WHERE fallback IS NOT NULL;
CREATE INDEX schedule_view_resting ON paystream.schedule_view (merchant, status, created_at DESC, id DESC)
    WHERE status <> 'active';

-- For reports in SQL: ids as the API writes them, one row per schedule. It follows the log by some milliseconds.
CREATE VIEW paystream.schedules AS
SELECT m.name AS merchant, 'sch_' || replace(v.id::text, '-', '') AS schedule, v.status, v.kind, v.runner, v.next_at,
       v.customer, v.reference, 'ins_' || replace(v.instrument::text, '-', '') AS instrument,
       'ins_' || replace(v.fallback::text, '-', '') AS fallback, v.account, v.amount, v.currency, v.collected, v.paid,
       v.document -> 'occurrences' AS occurrences, v.document -> 'rule' AS rule, v.created_at, v.updated_at,
       v.version, v.pos AS position
  FROM paystream.schedule_view v JOIN paystream.merchant m ON m.id = v.merchant;
