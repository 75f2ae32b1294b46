-- Proposes how an open exception is resolved: `is` of the verdict is 'adjust', 'disregard' or 'link', with the position and number of the
-- movement, or the file and number of the line, that it is linked with. Answers 'ok', 'unknown', 'ended' or 'unfit'.
CREATE OR REPLACE FUNCTION paystream.settlement_propose(
    of_merchant int, of_exception uuid, verdict json, of_reason text, of_actor text, of_act uuid)
RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    item paystream.settlement_exception;
BEGIN
    SELECT * INTO item FROM paystream.settlement_exception x WHERE x.merchant = of_merchant AND x.id = of_exception FOR UPDATE;
    IF NOT FOUND THEN
        RETURN 'unknown';
    ELSIF item.ended_act IS NOT NULL THEN
        RETURN 'ended';
    ELSIF NOT paystream.settlement_fits(item, verdict) THEN
        RETURN 'unfit';
    END IF;
    -- Who says the same once more has said it.
    IF EXISTS (SELECT FROM (SELECT s.* FROM paystream.settlement_step s
                             WHERE s.merchant = of_merchant AND s.exception = of_exception AND s.kind = 'proposed'
                             ORDER BY s.number DESC LIMIT 1) n
                 JOIN paystream.settlement_act a ON a.merchant = n.merchant AND a.id = n.act
                WHERE a.actor = of_actor AND n.detail ->> 'reason' = of_reason AND n.detail ->> 'verdict' = verdict::text) THEN
        RETURN 'ok';
    END IF;
    PERFORM paystream.settlement_note(of_merchant, of_exception, of_act, 'proposed',
        json_build_object('verdict', verdict, 'reason', of_reason));
    PERFORM paystream.settlement_acted(of_merchant, of_act, of_actor, 'propose');
    RETURN 'ok';
END
$$;
