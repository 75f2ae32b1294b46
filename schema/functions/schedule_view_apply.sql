-- Writes rows of the schedule view and of its occurrences, sorted by key, each unless a later one stands, and moves the
-- follower's checkpoint in the same transaction. Answers false where another follower has moved it since: nothing is written then.
CREATE OR REPLACE FUNCTION paystream.schedule_view_apply(
    from_pos bigint, to_pos bigint, view_version int,
    p_merchant int[], p_id uuid[], p_version int[], p_pos bigint[], p_status text[], p_next timestamptz[],
    p_customer text[], p_instrument uuid[], p_fallback uuid[], p_account uuid[], p_reference text[], p_kind text[],
    p_runner text[], p_currency text[], p_amount bigint[], p_collected bigint[], p_paid int[],
    p_created timestamptz[], p_updated timestamptz[], p_document json[], p_occurrences json)
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    IF NOT paystream.move_checkpoint('schedule_view', view_version, from_pos, to_pos) THEN
        RETURN false;
    END IF;
    INSERT INTO paystream.schedule_view AS v (merchant, id, version, pos, status, next_at, customer, instrument,
        fallback, account, reference, kind, runner, currency, amount, collected, paid, created_at, updated_at, document)
    SELECT * FROM unnest(p_merchant, p_id, p_version, p_pos, p_status, p_next, p_customer, p_instrument, p_fallback,
        p_account, p_reference, p_kind, p_runner, p_currency, p_amount, p_collected, p_paid, p_created, p_updated,
        p_document) AS r (m, i)
     ORDER BY r.m, r.i
    ON CONFLICT (merchant, id) DO UPDATE SET
        version = EXCLUDED.version, pos = EXCLUDED.pos, status = EXCLUDED.status, next_at = EXCLUDED.next_at,
        customer = EXCLUDED.customer, instrument = EXCLUDED.instrument, fallback = EXCLUDED.fallback,
        account = EXCLUDED.account, reference = EXCLUDED.reference, kind = EXCLUDED.kind, runner = EXCLUDED.runner,
        currency = EXCLUDED.currency, amount = EXCLUDED.amount, collected = EXCLUDED.collected, paid = EXCLUDED.paid,
        created_at = EXCLUDED.created_at, updated_at = EXCLUDED.updated_at, document = EXCLUDED.document
     WHERE v.version < EXCLUDED.version;
    INSERT INTO paystream.occurrence_view AS v (merchant, schedule, ordinal, version, state, date, due_at, start_at,
        currency, amount, attempts, payment, ended_at, reason, policy, policy_version, document)
    SELECT r.merchant, r.schedule, r.ordinal, r.version, r.state, r.date, r.due_at, r.start_at, r.currency, r.amount,
           r.attempts, r.payment, r.ended_at, r.reason, r.policy, r.policy_version, r.document
      FROM json_to_recordset(p_occurrences) AS r (merchant int, schedule uuid, ordinal int, version int, state text,
           date date, due_at timestamptz, start_at timestamptz, currency text, amount bigint, attempts int,
           payment uuid, ended_at timestamptz, reason text, policy text, policy_version int, document json)
     ORDER BY r.merchant, r.schedule, r.ordinal
    ON CONFLICT (merchant, schedule, ordinal) DO UPDATE SET
        version = EXCLUDED.version, state = EXCLUDED.state, date = EXCLUDED.date, due_at = EXCLUDED.due_at,
        start_at = EXCLUDED.start_at, currency = EXCLUDED.currency, amount = EXCLUDED.amount,
        attempts = EXCLUDED.attempts, payment = EXCLUDED.payment, ended_at = EXCLUDED.ended_at,
        reason = EXCLUDED.reason, policy = EXCLUDED.policy, policy_version = EXCLUDED.policy_version,
        document = EXCLUDED.document
     WHERE v.version < EXCLUDED.version;
    RETURN true;
END
$$;
