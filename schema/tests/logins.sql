-- A login of one merchant enqueues for no other, and reads no other's rows; the daemon works on all.
\ir fixtures/units.sql
\ir ../roles/roles.sql

INSERT INTO paystream.merchant (id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'shop'), (2, 'rival');

-- Logins are the cluster's, so that their names hold the database's.
CREATE FUNCTION pg_temp.login(who text) RETURNS text LANGUAGE sql STABLE AS
    $$ SELECT left(current_database(), 40) || '_' || who $$;

DO $$
DECLARE
    made text;
BEGIN
    FOREACH made IN ARRAY ARRAY['shop', 'rival', 'both', 'nobody', 'daemon'] LOOP
        EXECUTE format('DROP ROLE IF EXISTS %I', pg_temp.login(made));
        EXECUTE format('CREATE ROLE %I LOGIN IN ROLE paystream_enqueue, paystream_read', pg_temp.login(made));
    END LOOP;
    EXECUTE format('REVOKE paystream_enqueue, paystream_read FROM %I', pg_temp.login('daemon'));
    EXECUTE format('GRANT paystream_app TO %I', pg_temp.login('daemon'));
    PERFORM paystream.bind_login(pg_temp.login('shop')::name, 'shop');
    PERFORM paystream.bind_login(pg_temp.login('shop')::name, 'shop');
    PERFORM paystream.bind_login(pg_temp.login('rival')::name, 'rival');
    PERFORM paystream.bind_login(pg_temp.login('both')::name, 'shop');
    PERFORM paystream.bind_login(pg_temp.login('both')::name, 'rival');
END
$$;

-- What a statement of one column gives a login: its rows joined by commas, or the SQLSTATE that it ends with.
CREATE FUNCTION pg_temp.as_login(who text, statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    told text;
    wanted text := format('SELECT coalesce(string_agg(x::text, %L ORDER BY x::text), %L) FROM (%s) AS t (x)', ',', '', statement);
BEGIN
    PERFORM set_config('session_authorization', pg_temp.login(who), true);
    BEGIN
        EXECUTE wanted INTO told;
    EXCEPTION WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS told = RETURNED_SQLSTATE;
    END;
    RESET SESSION AUTHORIZATION;
    RETURN told;
END
$$;

CREATE FUNCTION pg_temp.sees(who text, statement text, expected text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    seen text := pg_temp.as_login(who, statement);
BEGIN
    ASSERT seen = expected, format('%s, %s: expected %s, got %s', who, statement, expected, seen);
END
$$;

-- One row of each merchant wherever rows are.
SELECT pg_temp.decide(pg_temp.id(1), pg_temp.id(101), 0, '{a}', refs => '{order-1}', machine => 'infinity');
INSERT INTO paystream.event (pos, merchant, ver, stream_kind, stream, cause, type, data)
    SELECT nextval('paystream.pos_seq'), 2, 1, 1, pg_temp.id(2), pg_temp.id(102), 'b', '{}';
INSERT INTO paystream.stream (merchant, id, kind, ver, floor_pos) VALUES (2, pg_temp.id(2), 1, 1, 0);
INSERT INTO paystream.input (pos, received_at, merchant, stream_kind, kind, id, stream, name, meta, body)
    VALUES (nextval('paystream.pos_seq'), now(), 2, 1, 1, pg_temp.id(102), pg_temp.id(2), 'test', '{}', '');
INSERT INTO paystream.instrument_view (merchant, id, version, pos, status, account, created_at, document)
    SELECT m, pg_temp.id(m), 1, 1, 'active', pg_temp.id(900), now(), '{}' FROM generate_series(1, 2) m;
INSERT INTO paystream.payment_view (merchant, id, version, pos, status, currency, amount, account, account_mode,
    needs_operator, has_obligations, created_at, updated_at, document, kind, disputed, provider, captured, refunded,
    transferred, held, in_dispute, charged_back, method)
    SELECT m, pg_temp.id(m), 1, 1, 'captured', 'EUR', 100 * m, pg_temp.id(900), 'live', false, false, now(), now(), '{}', 1,
           false, 'ecommpay', 100 * m, 0, 0, 0, 0, 0, 'hosted'
      FROM generate_series(1, 2) m;
INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency, items, effective_at,
    known_at, account, account_name, account_mode, provider, batch, evidence, commanded, cause)
    SELECT m, pg_temp.id(m), v, 0, CASE v WHEN 1 THEN 1 ELSE 6 END, v, 'captured', CASE v WHEN 1 THEN 100 ELSE 10 END * m, 'EUR', 1,
           now(), now(), pg_temp.id(900), 'main', 'live', 'ecommpay', pg_temp.id(m), 'provider', true, pg_temp.id(m)
      FROM generate_series(1, 2) m, generate_series(1, 2) v;

DO $$
DECLARE
    kept text;
BEGIN
    FOREACH kept IN ARRAY ARRAY['event', 'stream', 'input', 'instrument_view', 'payment_view'] LOOP
        PERFORM pg_temp.sees('shop', format('SELECT merchant FROM paystream.%I', kept), '1');
        PERFORM pg_temp.sees('rival', format('SELECT merchant FROM paystream.%I', kept), '2');
        PERFORM pg_temp.sees('both', format('SELECT merchant FROM paystream.%I', kept), '1,2');
        PERFORM pg_temp.sees('nobody', format('SELECT merchant FROM paystream.%I', kept), '');
        PERFORM pg_temp.sees('daemon', format('SELECT merchant FROM paystream.%I', kept), '1,2');
    END LOOP;
    PERFORM pg_temp.sees('shop', 'SELECT name FROM paystream.merchant', 'shop');
    PERFORM pg_temp.sees('shop', 'SELECT body FROM paystream.input', '42501');
    -- A view is no way round.
    PERFORM pg_temp.sees('shop', 'SELECT schedule FROM paystream.schedules', '');
    PERFORM pg_temp.sees('shop', 'SELECT captured FROM paystream.payments', '100');
    PERFORM pg_temp.sees('rival', 'SELECT captured FROM paystream.payments', '200');
    PERFORM pg_temp.sees('shop', 'SELECT DISTINCT merchant FROM paystream.movement', '1');
    PERFORM pg_temp.sees('shop', 'SELECT amount FROM paystream.movements', '10,100');
    PERFORM pg_temp.sees('rival', 'SELECT amount FROM paystream.movements', '20,200');
    PERFORM pg_temp.sees('nobody', 'SELECT amount FROM paystream.movements', '');
    PERFORM pg_temp.sees('shop', 'SELECT captured FROM paystream.report_turnover(1)', '10,100');
    PERFORM pg_temp.sees('shop', 'SELECT captured FROM paystream.report_turnover(2)', '');
END
$$;

-- A login enqueues for its own merchant alone: another one does not exist for it.
DO $$
DECLARE
    of_shop text := pg_temp.as_login('shop', $q$SELECT paystream.enqueue('shop', 'k', 'payment.sync', '{}')$q$);
    who text;
BEGIN
    ASSERT length(of_shop) = 36, format('enqueued: %s', of_shop);
    PERFORM pg_temp.sees('shop', $q$SELECT paystream.enqueue('rival', 'k', 'payment.sync', '{}')$q$, 'PS001');
    PERFORM pg_temp.sees('nobody', $q$SELECT paystream.enqueue('shop', 'k', 'payment.sync', '{}')$q$, 'PS001');
    FOREACH who IN ARRAY ARRAY['shop', 'both'] LOOP
        PERFORM pg_temp.sees(who, format('SELECT state FROM paystream.outcome(%L)', of_shop), 'pending');
    END LOOP;
    FOREACH who IN ARRAY ARRAY['rival', 'nobody'] LOOP
        PERFORM pg_temp.sees(who, format('SELECT state FROM paystream.outcome(%L)', of_shop), 'unknown');
    END LOOP;
    PERFORM pg_temp.sees('shop', $q$SELECT paystream.bind_login('x', 'rival')$q$, '42501');
END
$$;

DO $$
DECLARE
    made text;
BEGIN
    FOREACH made IN ARRAY ARRAY['shop', 'rival', 'both', 'nobody', 'daemon'] LOOP
        EXECUTE format('DROP ROLE %I', pg_temp.login(made));
    END LOOP;
END
$$;
