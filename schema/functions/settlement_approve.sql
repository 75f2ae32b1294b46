-- Carries out what somebody else proposed last. Answers 'ok', 'unknown', 'ended', 'sameActor', 'stale' (not the newest proposal) or 'unfit'.
CREATE OR REPLACE FUNCTION paystream.settlement_approve(
    of_merchant int, of_exception uuid, proposal int, of_actor text, of_act uuid)
RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    item paystream.settlement_exception;
    held paystream.settlement_account;
    step paystream.settlement_step;
    proposer text;
    verdict json;
BEGIN
    SELECT * INTO item FROM paystream.settlement_exception x WHERE x.merchant = of_merchant AND x.id = of_exception;
    IF NOT FOUND THEN
        RETURN 'unknown';
    END IF;
    -- Imports hold the account before its exceptions, and so does this.
    held := paystream.settlement_hold(of_merchant, item.account, clock_timestamp());
    SELECT * INTO item FROM paystream.settlement_exception x WHERE x.merchant = of_merchant AND x.id = of_exception FOR UPDATE;
    IF item.ended_act IS NOT NULL THEN
        -- Who approved it once has approved it.
        RETURN CASE WHEN EXISTS (
            SELECT FROM paystream.settlement_step s JOIN paystream.settlement_act a ON a.merchant = s.merchant AND a.id = s.act
             WHERE s.merchant = of_merchant AND s.exception = of_exception AND s.kind = 'approved' AND a.actor = of_actor
               AND (s.detail ->> 'proposal')::int = proposal) THEN 'ok' ELSE 'ended' END;
    END IF;
    SELECT * INTO step FROM paystream.settlement_step s
     WHERE s.merchant = of_merchant AND s.exception = of_exception AND s.kind = 'proposed' ORDER BY s.number DESC LIMIT 1;
    IF step.number IS NULL OR proposal > step.number THEN
        RETURN 'unknown';
    ELSIF step.number <> proposal THEN
        RETURN 'stale';
    END IF;
    SELECT a.actor INTO proposer FROM paystream.settlement_act a WHERE a.merchant = of_merchant AND a.id = step.act;
    verdict := step.detail -> 'verdict';
    IF proposer = of_actor THEN
        RETURN 'sameActor';
    ELSIF NOT paystream.settlement_fits(item, verdict) THEN
        RETURN 'unfit';
    END IF;
    PERFORM paystream.settlement_note(of_merchant, of_exception, of_act, 'approved', json_build_object('proposal', proposal));
    CASE verdict ->> 'is'
    WHEN 'adjust' THEN
        PERFORM paystream.settlement_adjust(item, of_act);
    WHEN 'disregard' THEN
        INSERT INTO paystream.settlement_withdrawal (merchant, file, line, act, why)
        VALUES (of_merchant, item.file, item.line, of_act, 'disregarded') ON CONFLICT DO NOTHING;
        PERFORM paystream.settlement_withdrawn(of_merchant, of_act, 'disregarded');
        -- Of a line that was disregarded before nothing stands.
        UPDATE paystream.settlement_exception x SET ended_act = of_act, outcome = 'disregarded'
         WHERE x.merchant = of_merchant AND x.id = of_exception AND x.ended_act IS NULL;
    WHEN 'link' THEN
        INSERT INTO paystream.settlement_match (merchant, account, file, line, stream, version, number, how, differs, act)
        SELECT of_merchant, item.account, l.file, l.line, l.stream, l.version, l.number, 'person', true, of_act
          FROM paystream.settlement_linked(item, verdict) l;
        UPDATE paystream.settlement_exception x SET ended_act = of_act, outcome = 'linked'
         WHERE x.merchant = of_merchant AND x.id = of_exception;
        PERFORM paystream.settlement_book(of_merchant, item.account, NULL, of_act);
        PERFORM paystream.settlement_review(of_merchant, item.account, of_act, held.through, held.through,
            held.through - held.delay_days * interval '1 day', clock_timestamp());
    END CASE;
    PERFORM paystream.settlement_round_again(of_merchant, item.account, of_act);
    -- Who links has looked at the account.
    PERFORM paystream.settlement_acted(of_merchant, of_act, of_actor, CASE verdict ->> 'is' WHEN 'link' THEN 'link' ELSE 'approve' END);
    RETURN 'ok';
END
$$;
