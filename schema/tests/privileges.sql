-- Who may do what: the daemon's role can't rewrite what was written, a backend's sees nothing but its two functions.
\ir fixtures/units.sql
\ir ../roles/roles.sql
-- Once more changes nothing.
\ir ../roles/roles.sql

-- Runs a statement as a role and holds its SQLSTATE against the expected one; NULL means that it works.
CREATE FUNCTION pg_temp.tries(role text, state text, statement text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    seen text;
BEGIN
    PERFORM set_config('role', role, true);
    BEGIN
        EXECUTE statement;
    EXCEPTION WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS seen = RETURNED_SQLSTATE;
    END;
    PERFORM set_config('role', 'none', true);
    ASSERT seen IS NOT DISTINCT FROM state,
        format('%s, %s: expected %s, got %s', role, statement, coalesce(state, 'success'), coalesce(seen, 'success'));
END
$$;

SELECT pg_temp.ends(0, pg_temp.id(1), pg_temp.id(101), 0, '{a,b}');
SELECT pg_temp.decide(pg_temp.id(1), pg_temp.id(102), 2, '{c}', refs => '{order-1}');
INSERT INTO paystream.access_record (merchant, stream_kind, stream, actor, action, detail)
    VALUES (1, 1, pg_temp.id(1), 'somebody', 'read', '{}');
INSERT INTO paystream.merchant (name) VALUES ('shop');

-- The log is append-only for the daemon, at its parent and at every partition, whatever it tries.
DO $$
DECLARE
    kept text;
BEGIN
    -- The locks that order the log are the daemon's: a reader or a backend could stop everybody with one.
    FOREACH kept IN ARRAY ARRAY['paystream_read', 'paystream_enqueue'] LOOP
        PERFORM pg_temp.tries(kept, '42501', 'SELECT pg_advisory_lock_shared((112::bigint << 56) | 1)');
        PERFORM pg_temp.tries(kept, '42501', 'SELECT pg_advisory_xact_lock(112::bigint << 56)');
        PERFORM pg_temp.tries(kept, '42501', 'SELECT pg_try_advisory_lock(112::bigint << 56)');
    END LOOP;
    PERFORM pg_temp.tries('paystream_app', NULL, 'SELECT pg_advisory_xact_lock(1)');
    PERFORM pg_temp.tries('paystream_app', '42501', 'DELETE FROM paystream.master_key');
    PERFORM pg_temp.tries('paystream_app', '42501', 'INSERT INTO paystream.login VALUES (''x'', 1)');
    PERFORM pg_temp.tries('paystream_app', '42501', 'SELECT paystream.bind_login(''paystream_read'', ''shop'')');
    FOREACH kept IN ARRAY ARRAY['input', 'event', 'decision', 'reference', 'access_record', 'dunning_policy', 'settlement_act',
        'settlement_mapping', 'settlement_file', 'settlement_line', 'settlement_withdrawal', 'settlement_match', 'settlement_exception',
        'settlement_step', 'settlement_entry', 'public_event'] LOOP
        PERFORM pg_temp.tries('paystream_app', '42501', format('UPDATE paystream.%I SET merchant = 2', kept));
        PERFORM pg_temp.tries('paystream_app', '42501', format('DELETE FROM paystream.%I', kept));
        PERFORM pg_temp.tries('paystream_app', '42501', format('TRUNCATE paystream.%I', kept));
        PERFORM pg_temp.tries('paystream_app', '42501', format('DROP TABLE paystream.%I', kept));
    END LOOP;
    FOR kept IN SELECT i.inhrelid::regclass::text FROM pg_inherits i WHERE i.inhparent = 'paystream.event'::regclass
    LOOP
        PERFORM pg_temp.tries('paystream_app', '42501', format('UPDATE %s SET merchant = 2', kept));
        PERFORM pg_temp.tries('paystream_app', '42501', format('DELETE FROM %s', kept));
        PERFORM pg_temp.tries('paystream_app', '42501', format('TRUNCATE %s', kept));
    END LOOP;
    PERFORM pg_temp.tries('paystream_app', '42501', 'INSERT INTO paystream.event (pos, merchant, ver, stream_kind, '
        'stream, cause, type, data) VALUES (1, 1, 1, 1, gen_random_uuid(), gen_random_uuid(), ''x'', ''{}'') '
        'ON CONFLICT (pos, merchant) DO UPDATE SET type = ''y''');
    ASSERT (SELECT array_agg(type ORDER BY pos) FROM paystream.event) = '{a,b,c}', 'the log is as it was';
END
$$;

-- What a daemon does all day works.
DO $$
BEGIN
    PERFORM pg_temp.tries('paystream_app', NULL, 'SELECT paystream.horizon()');
    PERFORM pg_temp.tries('paystream_app', NULL, 'SELECT * FROM paystream.event');
    PERFORM pg_temp.tries('paystream_app', NULL, 'SELECT paystream.claim_effects(''a'', 1)');
    PERFORM pg_temp.tries('paystream_app', NULL, 'SELECT paystream.expired_effects()');
    PERFORM pg_temp.tries('paystream_app', NULL, 'SELECT paystream.begin_recovery(''a'', ''restored'', false, 35)');
    PERFORM pg_temp.tries('paystream_app', '42501', 'UPDATE paystream.recovery_epoch SET cluster = ''1/1''');
    PERFORM pg_temp.tries('paystream_app', NULL, 'SELECT paystream.claim_mail(''a'', 1, ''{}'', ''{}'', ''{}'')');
    PERFORM pg_temp.tries('paystream_app', NULL, format(
        'SELECT paystream.admit(''{1}'', ARRAY[%L::uuid], ''{1}'', ARRAY[%L::uuid], ''{1}'', ''{a}'', '
        'ARRAY[''{}'']::json[], ARRAY['''']::bytea[], ''{now}'')', pg_temp.id(2), pg_temp.id(103)));
    ASSERT EXISTS (SELECT FROM paystream.undecided WHERE input = pg_temp.id(103)), 'admitted';
    PERFORM pg_temp.tries('paystream_app', NULL, 'SELECT paystream.extend_log(3)');
    PERFORM pg_temp.tries('paystream_app', '42501', 'UPDATE paystream.event_60000000 SET merchant = 2');
END
$$;

-- A settlement file is imported and resolved with the daemon's rights; a reader sees it and changes nothing.
DO $$
DECLARE
    item uuid;
BEGIN
    INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency, items, effective_at,
        known_at, provider_reference, account, account_name, account_mode, provider, evidence, commanded, cause)
    SELECT 1, pg_temp.id(5000 + n), 1, 0, 1, n, 'captured', 100, 'EUR', 1, '2026-11-21', '2026-11-21', 'op-' || n, pg_temp.id(900), 'main',
           'live', 'ecommpay', 'provider', true, pg_temp.id(1) FROM generate_series(1, 2500) AS n;
    PERFORM pg_temp.tries('paystream_app', NULL, format('SELECT paystream.settlement_begin(1, %L, ''main'', ''live'', ''ecommpay'', ''x'', '
        '''{}'', 5, ''anna'')', pg_temp.id(900)));
    PERFORM pg_temp.tries('paystream_app', NULL, format('SELECT paystream.settlement_lines(1, %L, ''UTC'', true, array_agg(n), '
        'array_agg(''captured''::text), array_agg(NULL::text), array_agg(100::bigint), array_agg(1), array_agg(''EUR''::text), '
        'array_agg(1::bigint), array_agg(NULL::bigint), array_agg(''op-'' || n), array_agg(NULL::text), '
        'array_agg(''2026-11-21''::timestamptz)) FROM generate_series(1, 2501) AS n', pg_temp.id(7000)));
    PERFORM pg_temp.tries('paystream_app', NULL, format('SELECT paystream.settlement_finish(1, %L, %L, ''x'', 1, 2501, ''[]'', ''UTC'', '
        'NULL, NULL, NULL, 2, ''always'', ''anna'')', pg_temp.id(900), pg_temp.id(7000)));
    ASSERT (SELECT count(*) = 2500 FROM paystream.settlement_match), 'all but one';
    SELECT id INTO item FROM paystream.settlement_exception WHERE class = 'missingHere';
    PERFORM pg_temp.tries('paystream_app', NULL, format('SELECT paystream.settlement_assign(1, %L, ''anna'', ''anna'', gen_random_uuid())', item));
    PERFORM pg_temp.tries('paystream_app', NULL, format('SELECT paystream.settlement_propose(1, %L, ''{"is":"adjust"}'', ''so'', ''anna'', '
        'gen_random_uuid())', item));
    PERFORM pg_temp.tries('paystream_app', NULL, format('SELECT paystream.settlement_approve(1, %L, 2, ''boris'', gen_random_uuid())', item));
    ASSERT (SELECT outcome = 'adjusted' FROM paystream.settlement_exception WHERE id = item), 'adjusted';
    PERFORM pg_temp.tries('paystream_read', NULL, 'SELECT * FROM paystream.report_reconciliation(1)');
    PERFORM pg_temp.tries('paystream_read', NULL, 'SELECT * FROM paystream.report_settlement(1), paystream.report_exceptions(1)');
    PERFORM pg_temp.tries('paystream_read', NULL, 'SELECT * FROM paystream.settlement_line');
    PERFORM pg_temp.tries('paystream_read', '42501', 'SELECT paystream.settlement_analyze(5000, ''line'')');
    PERFORM pg_temp.tries('paystream_read', '42501', 'UPDATE paystream.settlement_exception SET owner = ''x''');
    PERFORM pg_temp.tries('paystream_enqueue', '42501', 'SELECT paystream.settlement_analyze(5000, ''line'')');
END
$$;

-- A backend enqueues and reads outcomes, and nothing else.
DO $$
DECLARE
    closed text;
BEGIN
    PERFORM pg_temp.tries('paystream_enqueue', NULL,
        'SELECT * FROM paystream.outcome(paystream.enqueue(''shop'', ''k'', ''payment.create'', ''{}''))');
    ASSERT (SELECT count(*) = 1 FROM paystream.inbox), 'enqueued';
    FOR closed IN
        SELECT format('SELECT FROM %s', c.oid::regclass) FROM pg_class c
         WHERE c.relnamespace = 'paystream'::regnamespace AND c.relkind IN ('r', 'p')
        UNION ALL SELECT 'INSERT INTO paystream.inbox (merchant, id, key, name, body) '
            'VALUES (1, gen_random_uuid(), ''k'', ''n'', ''{}'')'
        UNION ALL SELECT 'DELETE FROM paystream.inbox'
        UNION ALL SELECT 'SELECT paystream.horizon()'
        UNION ALL SELECT 'SELECT paystream.take_inbox(1)'
        UNION ALL SELECT 'SELECT nextval(''paystream.pos_seq'')'
    LOOP
        PERFORM pg_temp.tries('paystream_enqueue', '42501', closed);
    END LOOP;
END
$$;

-- A reader reads, but no key, no sealed byte and no body; and writes nothing.
DO $$
DECLARE
    closed text;
BEGIN
    PERFORM pg_temp.tries('paystream_read', NULL, 'SELECT * FROM paystream.event');
    PERFORM pg_temp.tries('paystream_read', NULL, 'SELECT * FROM paystream.decision');
    PERFORM pg_temp.tries('paystream_read', NULL, 'SELECT id, name, meta FROM paystream.input');
    PERFORM pg_temp.tries('paystream_read', NULL, 'SELECT * FROM paystream.schedule_occurrences');
    PERFORM pg_temp.tries('paystream_read', NULL, 'SELECT * FROM paystream.dunning_policies');
    PERFORM pg_temp.tries('paystream_read', NULL, 'SELECT paystream.horizon()');
    FOREACH closed IN ARRAY ARRAY[
        'SELECT body FROM paystream.input', 'SELECT FROM paystream.subject_key',
        'SELECT FROM paystream.input_original', 'SELECT FROM paystream.api_key', 'SELECT FROM paystream.quarantine',
        'SELECT template FROM paystream.effect', 'SELECT mac FROM paystream.idempotency',
        'SELECT body FROM paystream.inbox', 'DELETE FROM paystream.mail', 'UPDATE paystream.merchant SET name = ''x''',
        'SELECT paystream.claim_mail(''a'', 1, ''{}'', ''{}'', ''{}'')',
        'SELECT paystream.enqueue(''shop'', ''k'', ''payment.create'', ''{}'')'
    ] LOOP
        PERFORM pg_temp.tries('paystream_read', '42501', closed);
    END LOOP;
END
$$;

-- What runs with its owner's rights takes its names from nowhere else; PUBLIC may call nothing.
DO $$
DECLARE
    found text;
BEGIN
    SELECT string_agg(p.proname, ', ') INTO found FROM pg_proc p
     WHERE p.pronamespace = 'paystream'::regnamespace AND p.prosecdef
       AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (p.proconfig), false);
    ASSERT found IS NULL, format('no fixed search_path: %s', found);
    SELECT string_agg(p.proname, ', ') INTO found FROM pg_proc p, aclexplode(p.proacl) a
     WHERE p.pronamespace = 'paystream'::regnamespace AND a.grantee = 0;
    ASSERT found IS NULL, format('PUBLIC may call: %s', found);
    SELECT string_agg(p.proname, ', ') INTO found FROM pg_proc p
     WHERE p.pronamespace = 'paystream'::regnamespace AND p.prosecdef AND p.proname NOT IN ('enqueue', 'extend_log', 'is_mine', 'my_merchants', 'outcome',
        'settlement_analyze');
    ASSERT found IS NULL, format('runs with its owner''s rights: %s', found);
END
$$;

-- Every table that knows merchants has its policies, so that a new one is nobody's until it is thought of.
DO $$
DECLARE
    found text;
BEGIN
    SELECT string_agg(c.relname, ', ') INTO found FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'paystream'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND a.attname = 'merchant' AND NOT c.relrowsecurity;
    ASSERT found IS NULL, format('no policies: %s', found);
    SELECT string_agg(c.relname, ', ') INTO found FROM pg_class c
     WHERE c.relnamespace = 'paystream'::regnamespace AND c.relkind = 'v'
       AND NOT coalesce('security_invoker=true' = ANY (c.reloptions), false);
    ASSERT found IS NULL, format('shows what its owner may see: %s', found);
END
$$;
