-- Gives an open exception an owner, or takes him off where it is NULL. Answers 'ok', 'unknown' or 'ended'.
CREATE OR REPLACE FUNCTION paystream.settlement_assign(
    of_merchant int, of_exception uuid, new_owner text, of_actor text, of_act uuid)
RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    item paystream.settlement_exception;
BEGIN
    SELECT * INTO item FROM paystream.settlement_exception x WHERE x.merchant = of_merchant AND x.id = of_exception FOR UPDATE;
    IF NOT FOUND THEN
        RETURN 'unknown';
    ELSIF item.ended_act IS NOT NULL THEN
        RETURN 'ended';
    ELSIF item.owner IS NOT DISTINCT FROM new_owner THEN
        RETURN 'ok';
    END IF;
    UPDATE paystream.settlement_exception x SET owner = new_owner WHERE x.merchant = of_merchant AND x.id = of_exception;
    -- Whose it was before, as what followed another exception has an owner that no step tells.
    PERFORM paystream.settlement_note(of_merchant, of_exception, of_act, 'assigned',
        json_build_object('owner', new_owner, 'was', item.owner));
    PERFORM paystream.settlement_acted(of_merchant, of_act, of_actor, 'assign');
    RETURN 'ok';
END
$$;
