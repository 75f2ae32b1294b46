-- Looks at matches and exceptions whose movement is there no longer, behind a new version of the movements: the lines look for theirs again,
-- and what two persons adjusted of it is taken back.
CREATE OR REPLACE FUNCTION paystream.settlement_carried() RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    held record;
    new_act uuid;
    stamp CONSTANT timestamptz := clock_timestamp();
BEGIN
    FOR held IN
        SELECT DISTINCT u.merchant, u.account FROM (
            SELECT x.merchant, x.account FROM paystream.settlement_match x WHERE x.ended_act IS NULL AND x.number < 0
            UNION ALL
            SELECT x.merchant, x.account FROM paystream.settlement_exception x
             WHERE x.number < 0 AND (x.ended_act IS NULL OR x.outcome = 'adjusted' AND paystream.settlement_stands(x.merchant, x.id))) u
         ORDER BY 1, 2
    LOOP
        new_act := gen_random_uuid();
        INSERT INTO paystream.settlement_entry (merchant, account, kind, amount, currency, effective_at, act, file, line, exception, stream,
            stream_kind)
        SELECT e.merchant, e.account, e.kind, -sum(e.amount), e.currency, min(e.effective_at), new_act, e.file, e.line, e.exception,
               e.stream, e.stream_kind
          FROM paystream.settlement_exception x
          JOIN paystream.settlement_entry e ON e.merchant = x.merchant AND e.exception = x.id
         WHERE x.merchant = held.merchant AND x.account = held.account AND x.number < 0 AND x.outcome = 'adjusted'
         GROUP BY e.merchant, e.account, e.kind, e.currency, e.file, e.line, e.exception, e.stream, e.stream_kind
        HAVING sum(e.amount) <> 0;
        WITH lost AS (
            UPDATE paystream.settlement_match x SET ended_act = new_act
             WHERE x.merchant = held.merchant AND x.account = held.account AND x.ended_act IS NULL AND x.number < 0
            RETURNING x.file, x.line),
        ended AS (
            UPDATE paystream.settlement_exception x SET ended_act = new_act, outcome = 'agreed'
             WHERE x.merchant = held.merchant AND x.account = held.account AND x.ended_act IS NULL AND x.number < 0
            RETURNING x.file, x.line, x.class)
        INSERT INTO paystream.settlement_exception (merchant, id, account, class, file, line, amount, currency, at, since, act)
        SELECT held.merchant, gen_random_uuid(), held.account, 'missingHere', l.file, l.number, -l.side * l.amount, l.currency, l.at, stamp,
               new_act
          FROM (SELECT o.file, o.line FROM lost o UNION SELECT e.file, e.line FROM ended e WHERE e.class = 'currency' AND e.file IS NOT NULL) o
          JOIN paystream.settlement_line l ON l.merchant = held.merchant AND l.file = o.file AND l.number = o.line;
        PERFORM paystream.settlement_recheck(held.merchant, held.account, new_act, stamp);
    END LOOP;
END
$$;
