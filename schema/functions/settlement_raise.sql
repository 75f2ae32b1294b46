-- Opens exceptions for what of a file found nothing that fits: lines without a movement, lines that come twice, words that the mapping does
-- not know, and another currency than ours.
--
-- What books itself has no movement that it could find once only. So a payout of another file under the same name is a second one whatever its
-- amount is, and without a name what is alike to its moment (`settlement_like`). Lines that are in question themselves put nothing in question.
--
-- Of lines that are alike the first one looks for others, and tells all of them: a file in which all are alike costs no more than another.
CREATE OR REPLACE FUNCTION paystream.settlement_raise(of_merchant int, of_account uuid, of_file uuid, of_act uuid, of_moment timestamptz)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    WITH l AS (
        SELECT k.number, k.kind, k.side, k.amount, k.currency, k.at,
               coalesce(k.number > min(k.first) OVER (PARTITION BY k.name, k.amount, k.other_name, k.kind, k.currency), false)
                   OR coalesce(bool_or(k.is_alone) OVER (PARTITION BY k.alone, k.kind, k.currency), false) AS is_again
          FROM (SELECT r.*,
                       CASE WHEN r.kind IS NOT NULL AND r.name IS NOT NULL AND r.place = 1 THEN (
                           -- Its number in this file, and 0 of any other one.
                           SELECT min(CASE WHEN o.file = of_file THEN o.number ELSE 0 END) FROM paystream.settlement_line o
                            WHERE o.merchant = of_merchant AND coalesce(o.provider_reference, o.reference) = r.name AND o.amount = r.amount
                              AND coalesce(o.reference, '') = r.other_name AND o.kind = r.kind AND o.currency = r.currency
                              AND paystream.settlement_belongs(o, of_account)) END AS first,
                       -- It books itself, and a line that counts has booked it already.
                       CASE WHEN r.alone_place = 1 THEN EXISTS (
                           SELECT FROM paystream.settlement_like(r.line) o WHERE paystream.settlement_counts(o, of_account)) END AS is_alone
                  FROM (SELECT u.*, row_number() OVER (PARTITION BY u.name, u.amount, u.other_name, u.kind, u.currency ORDER BY u.number) AS place,
                               row_number() OVER (PARTITION BY u.alone, u.kind, u.currency ORDER BY u.number) AS alone_place
                          FROM (SELECT n AS line, n.*, coalesce(n.provider_reference, n.reference) AS name, coalesce(n.reference, '') AS other_name,
                                       coalesce('=' || n.provider_reference, CASE WHEN n.reference IS NULL THEN n.amount || ' ' || n.at END) AS alone
                                  FROM paystream.settlement_line n
                                 WHERE n.merchant = of_merchant AND n.file = of_file
                                   AND NOT EXISTS (SELECT FROM paystream.settlement_match x
                                                    WHERE x.merchant = of_merchant AND x.file = of_file AND x.line = n.number AND x.ended_act IS NULL)
                                   AND NOT EXISTS (SELECT FROM paystream.settlement_withdrawal w
                                                    WHERE w.merchant = of_merchant AND w.file = of_file AND w.line = n.number)) u) r) k)
    INSERT INTO paystream.settlement_exception (merchant, id, account, class, file, line, amount, currency, at, since, act)
    SELECT of_merchant, gen_random_uuid(), of_account,
           CASE WHEN l.kind IS NULL THEN 'unknownKind' WHEN l.is_again THEN 'duplicate' ELSE 'missingHere' END,
           of_file, l.number, -l.side * l.amount, l.currency, l.at, of_moment, of_act
      FROM l
     WHERE l.kind IS NULL OR l.kind NOT IN ('payout', 'reserveHeld', 'reserveReturned', 'fee') OR l.is_again;
    IF NOT EXISTS (SELECT FROM paystream.settlement_exception x
                    WHERE x.merchant = of_merchant AND x.act = of_act AND x.class = 'missingHere') THEN
        RETURN;
    END IF;
    -- One payment, one kind, and two currencies: the line's money and the movement's are each in question.
    WITH c AS MATERIALIZED (
        SELECT DISTINCT ON (s.file, s.line) s.file, s.line, s.stream, s.version, s.number
          FROM (SELECT t.file, t.line, t.currency, first_value(t.stream) OVER n AS stream, first_value(t.version) OVER n AS version,
                       first_value(t.number) OVER n AS number, first_value(t.pos) OVER n AS pos, first_value(t.currency) OVER n AS other
                  FROM unnest('{operation,reference}'::text[]) AS w (way)
                  CROSS JOIN LATERAL paystream.settlement_candidates(of_merchant, of_account, of_file, w.way) t
                -- Movements stand before lines.
                WINDOW n AS (PARTITION BY w.way, t.name, t.kind ORDER BY t.file IS NOT NULL, t.pos, t.number)) s
          JOIN paystream.settlement_exception x
            ON x.merchant = of_merchant AND x.act = of_act AND x.class = 'missingHere' AND x.file = s.file AND x.line = s.line
         WHERE s.stream IS NOT NULL AND s.currency <> s.other
         ORDER BY s.file, s.line, s.pos, s.number),
    changed AS (
        UPDATE paystream.settlement_exception x SET class = 'currency', stream = c.stream, version = c.version, number = c.number
          FROM c
         WHERE x.merchant = of_merchant AND x.act = of_act AND x.class = 'missingHere' AND x.file = c.file AND x.line = c.line
        RETURNING x.stream, x.version, x.number)
    INSERT INTO paystream.settlement_exception (merchant, id, account, class, stream, version, number, amount, currency, at, since, act)
    SELECT DISTINCT ON (m.stream, m.version, m.number) of_merchant, gen_random_uuid(), of_account, 'currency', m.stream, m.version, m.number,
           m.side * m.amount, m.currency, m.at, of_moment, of_act
      FROM changed c
      JOIN paystream.settleable(of_merchant) m ON m.stream = c.stream AND m.version = c.version AND m.number = c.number
     WHERE NOT EXISTS (SELECT FROM paystream.settlement_exception x
                        WHERE x.merchant = of_merchant AND x.stream = m.stream AND x.version = m.version AND x.number = m.number
                          AND x.file IS NULL AND (x.ended_act IS NULL
                              OR x.outcome = 'adjusted' AND paystream.settlement_stands(of_merchant, x.id)));
END
$$;
