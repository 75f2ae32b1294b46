-- Four roles without login; grant them to the users that need them. Run by a role that may create roles.
--   paystream_app      what the daemon does
--   paystream_enqueue  what a backend may do: enqueue, and read outcomes
--   paystream_read     read everything that holds no key and no sealed byte
--   paystream_report   read the views of the schema `reporting`, and nothing else (`grant_reporting`)
--
-- The last three are bound to merchants (`bind_login`): a login enqueues for its own alone, and policies on every table that
-- knows merchants show it no other's rows.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['paystream_app', 'paystream_enqueue', 'paystream_read', 'paystream_report'] LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = wanted);
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            -- Roles are the whole server's: another database is given its schema at this moment.
            NULL;
        END;
    END LOOP;
END
$$;

REVOKE ALL ON SCHEMA paystream FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA paystream FROM PUBLIC;
GRANT USAGE ON SCHEMA paystream TO paystream_app, paystream_enqueue, paystream_read;

GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA paystream TO paystream_app;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA paystream TO paystream_app;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA paystream TO paystream_app;
-- What was written stays as it was written.
REVOKE UPDATE, DELETE, TRUNCATE ON paystream.input, paystream.event, paystream.decision, paystream.reference,
    paystream.sending_mark, paystream.access_record, paystream.dispute_evidence, paystream.recovery_epoch,
    paystream.dunning_policy, paystream.master_key, paystream.movement, paystream.fact, paystream.public_event, paystream.closed_period, paystream.settlement_act, paystream.settlement_mapping,
    paystream.settlement_file, paystream.settlement_line, paystream.settlement_withdrawal, paystream.settlement_match,
    paystream.settlement_exception, paystream.settlement_step, paystream.settlement_entry
    FROM paystream_app;
GRANT UPDATE (ended_act) ON paystream.settlement_match TO paystream_app;
GRANT UPDATE (class, stream, version, number, owner, ended_act, outcome) ON paystream.settlement_exception TO paystream_app;
-- Who speaks for whom its owner says.
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON paystream.login FROM paystream_app;
REVOKE EXECUTE ON FUNCTION paystream.bind_login(name, text), paystream.grant_reporting(name, text) FROM paystream_app;
-- The log's partitions are reached through the log alone.
DO $$
DECLARE
    part regclass;
BEGIN
    FOR part IN SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = 'paystream.event'::regclass LOOP
        EXECUTE format('REVOKE ALL ON %s FROM paystream_app', part);
    END LOOP;
END
$$;

-- The order of the log stands on advisory locks, and every login could take them: one that holds the lock of a floor hides the log
-- from its followers and stops who adds to it. Where this role may not say so, `doctor` does.
DO $$
DECLARE
    locker record;
BEGIN
    FOR locker IN
        SELECT p.oid::regprocedure AS signature, n.nspowner::regrole AS keeper
          FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.nspname = 'paystream'
         WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname ~ '^pg_(try_)?advisory_'
           AND has_function_privilege('public', p.oid, 'EXECUTE')
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO paystream_app, %s', locker.signature, locker.keeper);
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', locker.signature);
    END LOOP;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'advisory locks stay open to every login of this database';
END
$$;

-- Nobody keeps anything here beside the tables: large objects and temporary tables would let whoever reads fill the disk.
DO $$
DECLARE
    large record;
BEGIN
    FOR large IN
        SELECT p.oid::regprocedure AS signature FROM pg_catalog.pg_proc p
         WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname IN
               ('lo_creat', 'lo_create', 'lo_from_bytea', 'lo_import', 'lo_open', 'lo_put', 'lo_truncate', 'lo_truncate64', 'lowrite')
           AND has_function_privilege('public', p.oid, 'EXECUTE')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', large.signature);
    END LOOP;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'large objects stay open to every login of this database';
END
$$;
DO $$
BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'temporary tables stay open to every login of this database';
END
$$;

GRANT EXECUTE ON FUNCTION paystream.enqueue(text, text, text, json), paystream.outcome(uuid),
    paystream.enqueue_bills(text, text, json, regclass, text) TO paystream_enqueue;

GRANT SELECT ON paystream.merchant, paystream.stream, paystream.decision, paystream.event, paystream.reference,
    paystream.mail, paystream.undecided, paystream.due, paystream.inbox_outcome, paystream.checkpoint,
    paystream.input_quarantine, paystream.sending_mark, paystream.access_record,
    paystream.schedules, paystream.schedule_occurrences, paystream.dunning_policies, paystream.recovery_epoch,
    paystream.payment_view, paystream.payment_label, paystream.schedule_view, paystream.occurrence_view, paystream.instrument_view,
    paystream.bill_batch_view, paystream.bill_view, paystream.dunning_policy, paystream.view_quarantine,
    paystream.movement, paystream.fact, paystream.public_event, paystream.posting_rule, paystream.closed_period, paystream.known_zone, paystream.payments, paystream.movements,
    paystream.payment_count, paystream.money_count, paystream.delay_count, paystream.postings, paystream.booked, paystream.settlement_act, paystream.settlement_account, paystream.settlement_mapping,
    paystream.settlement_file, paystream.settlement_line, paystream.settlement_withdrawal, paystream.settlement_match,
    paystream.settlement_exception, paystream.settlement_step, paystream.settlement_entry
    TO paystream_read;
GRANT SELECT (pos, received_at, merchant, stream_kind, kind, id, stream, name, meta) ON paystream.input
    TO paystream_read;
GRANT EXECUTE ON FUNCTION paystream.horizon(), paystream.outcome(uuid), paystream.my_merchants(),
    paystream.payment_activity(int, text, date, date, text), paystream.money_activity(int, text, date, date, text),
    paystream.delays(int, text, date, date, text, text, boolean),
    paystream.report_zone(int, text), paystream.books_zone(int), paystream.books_standing(int, text, bigint),
    paystream.moved(int, text, date, date, text, bigint, boolean),
    paystream.report_approval(int, text, date, date, text, bigint, boolean),
    paystream.report_declines(int, text, date, date, text, bigint, boolean),
    paystream.report_methods(int, text, date, date, text, bigint, boolean),
    paystream.report_schemes(int, text, date, date, text, bigint, boolean),
    paystream.open_items(int, text, timestamptz, timestamptz, bigint, bigint, timestamptz, bigint, bigint, int),
    paystream.open_age(date, timestamptz, text), paystream.day_at(bigint, text), paystream.day_begins(date, text),
    paystream.report_open_items(int, text, date, date, text, bigint, boolean, json),
    paystream.report_recurring(int, text, date, date, text, bigint, boolean),
    paystream.report_three_d_secure(int, text, date, date, text, bigint, boolean),
    paystream.report_time_to_money(int, text, date, date, text, bigint, boolean),
    paystream.facts(int, text, date, date, text, bigint), paystream.percentage(bigint, bigint),
    paystream.report_balance(int, text, date, date, text, bigint, boolean, json),
    paystream.report_bills(int, text, date, date, text, bigint, boolean),
    paystream.settleable(int, bigint),
    paystream.settlement_stands(int, uuid, bigint),
    paystream.report_exceptions(int, text, date, date, text, bigint, boolean),
    paystream.exceptions_behind(int, text, date, date, text, bigint, timestamptz, timestamptz, int, uuid, int),
    paystream.settlement_told(int, bigint, uuid, int, smallint), paystream.settlement_looks(int, bigint),
    paystream.settlement_match_at(int, bigint, uuid, int, smallint), paystream.settlement_moves(int, bigint, uuid, int),
    paystream.report_reconciliation(int, text, date, date, text, bigint, boolean, json),
    paystream.report_settlement(int, text, date, date, text, bigint, boolean, json),
    paystream.report_disputes(int, text, date, date, text, bigint, boolean),
    paystream.report_fees(int, text, date, date, text, bigint, boolean),
    paystream.report_holds(int, text, date, date, text, bigint, boolean),
    paystream.period_sums(int, text, date, date, text, bigint, boolean, json),
    paystream.report_periods(int, text, date, date, text, bigint, boolean, json),
    paystream.report_refunds(int, text, date, date, text, bigint, boolean),
    paystream.report_statement(int, text, date, date, text, bigint, boolean, json),
    paystream.report_turnover(int, text, date, date, text, bigint, boolean),
    paystream.report_uncommanded(int, text, date, date, text, bigint, boolean) TO paystream_read;
-- What the horizon reads.
GRANT SELECT ON SEQUENCE paystream.pos_seq TO paystream_read;

-- Every table that knows merchants: the daemon works on all rows, a reader sees those of his merchants.
DO $$
DECLARE
    kept record;
BEGIN
    FOR kept IN
        SELECT c.oid::regclass AS place, a.attname AS merchant
          FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relnamespace = 'paystream'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
           AND NOT c.relrowsecurity
           AND a.attname = CASE c.relname WHEN 'merchant' THEN 'id' ELSE 'merchant' END
    LOOP
        EXECUTE format('CREATE POLICY daemon ON %s TO paystream_app USING (true) WITH CHECK (true)', kept.place);
        EXECUTE format('CREATE POLICY reader ON %s FOR SELECT TO paystream_read '
            'USING (%I = ANY ((SELECT paystream.my_merchants())::int[]))', kept.place, kept.merchant);
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', kept.place);
    END LOOP;
END
$$;

-- Analysts have the views alone: these run with their owner's rights, and whoever reads them calls what tells his merchants. Without the schema he
-- can't name it, or anything else there.
REVOKE ALL ON SCHEMA reporting FROM PUBLIC;
GRANT USAGE ON SCHEMA reporting TO paystream_report;
GRANT SELECT ON ALL TABLES IN SCHEMA reporting TO paystream_report;
GRANT EXECUTE ON FUNCTION paystream.my_merchants() TO paystream_report;
