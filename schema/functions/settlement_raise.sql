-- Opens exceptions for what of a file found nothing that fits: lines without a movement, lines that come twice, words that the mapping does
-- not know, and another currency than ours.
--
-- What books itself has no movement that it could find once only. So a payout of another file under the same name is a second one whatever its
-- amount is, and without a name what is alike to its moment (`settlement_alone`). Lines that are in question themselves put nothing in question.
CREATE OR REPLACE FUNCTION paystream.settlement_raise(of_merchant int, of_account uuid, of_file uuid, of_act uuid, of_moment timestamptz)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    INSERT INTO paystream.settlement_exception (merchant, id, account, class, file, line, amount, currency, at, since, act)
    SELECT of_merchant, gen_random_uuid(), of_account,
           CASE WHEN l.kind IS NULL THEN 'unknownKind' WHEN l.is_again THEN 'duplicate' ELSE 'missingHere' END,
           of_file, l.number, -l.side * l.amount, l.currency, l.at, of_moment, of_act
      FROM (SELECT n.*, n.kind IS NOT NULL AND coalesce(n.provider_reference, n.reference) IS NOT NULL AND EXISTS (
                       SELECT FROM paystream.settlement_line o JOIN paystream.settlement_file f
                           ON f.merchant = o.merchant AND f.id = o.file AND f.account = of_account
                        WHERE o.merchant = n.merchant AND coalesce(o.provider_reference, o.reference)
                                = coalesce(n.provider_reference, n.reference)
                          AND o.amount = n.amount AND coalesce(o.reference, '') = coalesce(n.reference, '')
                          AND (o.file <> n.file OR o.number < n.number) AND o.kind = n.kind AND o.currency = n.currency
                          AND NOT EXISTS (SELECT FROM paystream.settlement_withdrawal w
                                           WHERE w.merchant = o.merchant AND w.file = o.file AND w.line = o.number))
                     OR paystream.settlement_alone(n, of_account) AS is_again
              FROM paystream.settlement_line n WHERE n.merchant = of_merchant AND n.file = of_file) l
     WHERE (l.kind IS NULL OR l.kind NOT IN ('payout', 'reserveHeld', 'reserveReturned', 'fee') OR l.is_again)
       AND NOT EXISTS (SELECT FROM paystream.settlement_match x
                        WHERE x.merchant = of_merchant AND x.file = of_file AND x.line = l.number AND x.ended_act IS NULL)
       AND NOT EXISTS (SELECT FROM paystream.settlement_withdrawal w
                        WHERE w.merchant = of_merchant AND w.file = of_file AND w.line = l.number);
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
                          AND x.file IS NULL AND x.ended_act IS NULL);
END
$$;
