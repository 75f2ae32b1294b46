-- Writes movements and facts, each once, and moves their follower's checkpoint in the same transaction. Answers false where another follower has
-- moved it since: nothing is written then.
CREATE OR REPLACE FUNCTION paystream.movement_apply(
    from_pos bigint, to_pos bigint, view_version int,
    p_merchant int[], p_stream uuid[], p_version int[], p_number int[], p_stream_kind int[], p_pos bigint[], p_kind text[],
    p_amount bigint[], p_currency text[], p_items int[], p_effective timestamptz[], p_known timestamptz[], p_part text[],
    p_operation_reference text[], p_provider_reference text[], p_reference text[], p_customer text[], p_account uuid[], p_name text[],
    p_mode text[], p_provider text[], p_method text[], p_country text[], p_payee text[], p_schedule uuid[], p_batch uuid[],
    p_evidence text[], p_commanded boolean[], p_cause uuid[], p_scheme text[],
    f_merchant int[], f_stream uuid[], f_version int[], f_number int[], f_stream_kind int[], f_pos bigint[], f_known timestamptz[], f_kind text[],
    f_part text[], f_attempt int[], f_class text[], f_code text[], f_first boolean[], f_payments_first boolean[], f_late boolean[],
    f_items int[], f_delay bigint[], f_amount bigint[], f_currency text[], f_account uuid[], f_name text[], f_mode text[],
    f_provider text[], f_method text[], f_schedule uuid[])
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    IF NOT paystream.move_checkpoint('movement', view_version, from_pos, to_pos) THEN
        RETURN false;
    END IF;
    INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency, items,
        effective_at, known_at, part, operation_reference, provider_reference, reference, customer, account, account_name, account_mode,
        provider, method, country, payee, schedule, batch, evidence, commanded, cause, scheme)
    SELECT * FROM unnest(p_merchant, p_stream, p_version, p_number, p_stream_kind, p_pos, p_kind, p_amount, p_currency, p_items,
        p_effective, p_known, p_part, p_operation_reference, p_provider_reference, p_reference, p_customer, p_account, p_name, p_mode,
        p_provider, p_method, p_country, p_payee, p_schedule, p_batch, p_evidence, p_commanded, p_cause, p_scheme) AS r (m, s, v, n)
     ORDER BY r.m, r.s, r.v, r.n
    ON CONFLICT DO NOTHING;
    INSERT INTO paystream.fact (merchant, stream, version, number, stream_kind, pos, known_at, kind, part, attempt, decline_class,
        decline_code, is_first, is_payments_first, is_late, items, delay, amount, currency, account, account_name, account_mode,
        provider, method, schedule)
    SELECT * FROM unnest(f_merchant, f_stream, f_version, f_number, f_stream_kind, f_pos, f_known, f_kind, f_part, f_attempt, f_class,
        f_code, f_first, f_payments_first, f_late, f_items, f_delay, f_amount, f_currency, f_account, f_name, f_mode,
        f_provider, f_method, f_schedule) AS r (m, s, v, n)
     ORDER BY r.m, r.s, r.v, r.n
    ON CONFLICT DO NOTHING;
    RETURN true;
END
$$;
