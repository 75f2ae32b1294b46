-- What became of a command that a merchant of the login enqueued: `unknown`, `pending` (not taken yet), `refused` (never an input), `admitted`
-- (waits for its decision), `quarantined`, `rejected` (decided against) or `done`.
CREATE OR REPLACE FUNCTION paystream.outcome(inbox_id uuid)
RETURNS TABLE (state text, stream uuid, version int, code text, detail text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    o paystream.inbox_outcome;
    d paystream.decision;
    k paystream.idempotency;
BEGIN
    SELECT * INTO o FROM paystream.inbox_outcome x WHERE x.id = inbox_id AND paystream.is_mine(x.merchant);
    IF NOT FOUND THEN
        RETURN QUERY SELECT CASE WHEN EXISTS (
                SELECT FROM paystream.inbox x WHERE x.id = inbox_id AND paystream.is_mine(x.merchant))
            THEN 'pending' ELSE 'unknown' END, NULL::uuid, NULL::int, NULL, NULL;
        RETURN;
    END IF;
    IF o.input IS NULL THEN
        RETURN QUERY SELECT 'refused', NULL::uuid, NULL::int, o.code, o.detail;
        RETURN;
    END IF;
    SELECT * INTO k FROM paystream.idempotency x WHERE x.merchant = o.merchant AND x.input = o.input;
    IF k.mac <> o.mac THEN
        RETURN QUERY SELECT 'refused', NULL::uuid, NULL::int, 'idempotency_conflict',
            'the key was used for another command';
        RETURN;
    END IF;
    SELECT * INTO d FROM paystream.decision x WHERE x.merchant = o.merchant AND x.input = o.input;
    IF FOUND THEN
        RETURN QUERY SELECT CASE WHEN d.code IS NULL THEN 'done' ELSE 'rejected' END, d.stream, d.base + d.events,
            d.code, d.detail->>'detail' || coalesce(' (' || (d.detail->>'path') || ')', '');
    ELSE
        RETURN QUERY SELECT CASE WHEN EXISTS (
                SELECT FROM paystream.input_quarantine q WHERE q.merchant = o.merchant AND q.input = o.input)
            THEN 'quarantined' ELSE 'admitted' END, k.stream, NULL::int, NULL, NULL;
    END IF;
END
$$;
