-- Looks at lines that book themselves and were duplicates of what an act superseded, and are twice no longer: who was not decided about is booked, and
-- who was disregarded for it is asked about again. Other kinds look for the movement that lost its line.
CREATE OR REPLACE FUNCTION paystream.settlement_single(of_merchant int, of_account uuid, of_act uuid, of_moment timestamptz) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    item record;
BEGIN
    FOR item IN
        SELECT DISTINCT ON (x.file, x.line) x.id, x.ended_act IS NULL AS is_open, l AS line
          FROM (SELECT DISTINCT s.kind, s.currency
                  FROM paystream.settlement_withdrawal w
                  JOIN paystream.settlement_line s ON s.merchant = w.merchant AND s.file = w.file AND s.number = w.line
                 WHERE w.merchant = of_merchant AND w.act = of_act AND w.why = 'superseded'
                   AND s.kind IN ('payout', 'reserveHeld', 'reserveReturned', 'fee')) k
          JOIN paystream.settlement_exception x ON x.merchant = of_merchant AND x.account = of_account AND x.class = 'duplicate'
           AND (x.ended_act IS NULL OR x.outcome = 'disregarded')
          JOIN paystream.settlement_line l ON l.merchant = of_merchant AND l.file = x.file AND l.number = x.line AND l.kind = k.kind AND l.currency = k.currency
         WHERE NOT EXISTS (SELECT FROM paystream.settlement_withdrawal w
                            WHERE w.merchant = of_merchant AND w.file = x.file AND w.line = x.line AND w.why <> 'disregarded')
           AND NOT paystream.settlement_twice(l, of_account, '{}')
         ORDER BY x.file, x.line, x.ended_act IS NULL DESC
    LOOP
        IF item.is_open THEN
            UPDATE paystream.settlement_exception x SET ended_act = of_act, outcome = 'agreed' WHERE x.merchant = of_merchant AND x.id = item.id;
            INSERT INTO paystream.settlement_entry (merchant, account, kind, amount, currency, effective_at, act, file, line)
            SELECT of_merchant, of_account, b.kind, b.amount, (item.line).currency, (item.line).at, of_act, (item.line).file, (item.line).number
              FROM (VALUES ((item.line).kind, (item.line).amount), ('fee', (item.line).fee)) AS b (kind, amount) WHERE b.amount <> 0;
        ELSE
            INSERT INTO paystream.settlement_exception (merchant, id, account, class, file, line, amount, currency, at, since, act)
            SELECT of_merchant, gen_random_uuid(), of_account, 'duplicate', (item.line).file, (item.line).number,
                   -(item.line).side * (item.line).amount, (item.line).currency, (item.line).at, of_moment, of_act;
        END IF;
    END LOOP;
END
$$;
