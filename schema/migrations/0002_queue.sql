-- Who does what next: mailboxes, timers, effects and the SQL entrance. Rows live only while there is something to do.

-- Inputs that wait for a decision, in the order of their positions.
CREATE TABLE paystream.undecided (
    merchant int NOT NULL,
    stream uuid NOT NULL,
    pos bigint NOT NULL,
    input uuid NOT NULL,
    PRIMARY KEY (merchant, stream, pos)
);

-- A stream's mailbox: it exists while the stream has undecided inputs. `due` is schedule, back-off and lease at once.
CREATE TABLE paystream.mail (
    due timestamptz NOT NULL,
    fence bigint NOT NULL DEFAULT 0,
    merchant int NOT NULL,
    attempts int NOT NULL DEFAULT 0,
    stream_kind smallint NOT NULL,
    stream uuid NOT NULL,
    owner text,
    PRIMARY KEY (merchant, stream)
) WITH (fillfactor = 60);
CREATE INDEX mail_due ON paystream.mail (due);

-- When a stream wants to be woken: machine time is this server's clock, business time the merchant's.
CREATE TABLE paystream.due (
    machine timestamptz,
    business timestamptz,
    merchant int NOT NULL,
    stream_kind smallint NOT NULL,
    stream uuid NOT NULL,
    PRIMARY KEY (merchant, stream)
) WITH (fillfactor = 70);
CREATE INDEX due_machine ON paystream.due (machine) WHERE machine IS NOT NULL;
CREATE INDEX due_business ON paystream.due (business) WHERE business IS NOT NULL;

-- Licensed dispatches. 0 ready · 1 claimed (a lease, proves nothing) · 2 sending (bytes may have left) · 3 observed.
CREATE TABLE paystream.effect (
    not_before timestamptz NOT NULL,
    send_before timestamptz NOT NULL,
    lease_until timestamptz NOT NULL,
    fence bigint NOT NULL DEFAULT 0,
    deadline_us bigint NOT NULL CHECK (deadline_us > 0),
    merchant int NOT NULL,
    ordinal int NOT NULL CHECK (ordinal >= 1),
    stream_kind smallint NOT NULL,
    state smallint NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 3),
    id uuid NOT NULL,
    stream uuid NOT NULL,
    account uuid NOT NULL,
    owner text,
    template bytea NOT NULL,
    PRIMARY KEY (merchant, id)
) WITH (fillfactor = 60);
CREATE INDEX effect_ready ON paystream.effect (not_before) WHERE state = 0;
CREATE INDEX effect_claimed ON paystream.effect (lease_until) WHERE state = 1;
CREATE INDEX effect_sending ON paystream.effect (lease_until) WHERE state = 2;

-- The SQL entrance: insert-only, no shared unique key, no position, so that a backend's long transaction stalls nobody.
CREATE TABLE paystream.inbox (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    merchant int NOT NULL,
    id uuid NOT NULL,
    key text NOT NULL,
    name text NOT NULL,
    body json NOT NULL
);
CREATE INDEX inbox_id ON paystream.inbox (id);

-- What became of an inbox row: an input, or a refusal with a code.
CREATE TABLE paystream.inbox_outcome (
    id uuid PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    merchant int NOT NULL,
    input uuid,
    mac bytea,
    code text,
    detail text,
    CHECK ((code IS NULL) = (input IS NOT NULL)),
    CHECK ((mac IS NULL) = (input IS NULL))
);
CREATE INDEX inbox_outcome_at ON paystream.inbox_outcome USING brin (at);

-- Inputs that could not be decided; an operator looks at them.
CREATE TABLE paystream.input_quarantine (
    pos bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    merchant int NOT NULL,
    attempts int NOT NULL,
    stream_kind smallint NOT NULL,
    stream uuid NOT NULL,
    input uuid NOT NULL,
    reason text NOT NULL,
    PRIMARY KEY (merchant, input)
);

-- Queues turn over: vacuum them by count and without a pause, or the claims wade through dead index entries.
ALTER TABLE paystream.undecided SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 4000,
    autovacuum_vacuum_cost_delay = 0);
ALTER TABLE paystream.mail SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 4000,
    autovacuum_vacuum_cost_delay = 0);
ALTER TABLE paystream.due SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 4000,
    autovacuum_vacuum_cost_delay = 0);
ALTER TABLE paystream.effect SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 4000,
    autovacuum_vacuum_cost_delay = 0);
ALTER TABLE paystream.inbox SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 4000,
    autovacuum_vacuum_cost_delay = 0);
