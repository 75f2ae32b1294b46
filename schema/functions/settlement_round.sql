-- Books what the payouts of a file, and of those that stand in its place, differ from what its lines come to, currency by currency: where it is no
-- more than `of_most`, it is rounding, and nobody owes it. What was booked before is set right. Anything larger stays owed.
CREATE OR REPLACE FUNCTION paystream.settlement_round(of_merchant int, of_account uuid, of_file uuid, of_act uuid, of_most int) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    family CONSTANT uuid[] := ARRAY(SELECT c.id FROM paystream.settlement_family(of_merchant, of_file) AS c (id));
BEGIN
    IF of_most = 0 AND NOT EXISTS (
        SELECT FROM paystream.settlement_entry e WHERE e.merchant = of_merchant AND e.file = ANY (family) AND e.kind = 'rounding') THEN
        RETURN;
    END IF;
    WITH disregarded AS MATERIALIZED (
        SELECT l.file, l.number, paystream.settlement_print(l) AS print
          FROM paystream.settlement_withdrawal w
          JOIN paystream.settlement_line l ON l.merchant = w.merchant AND l.file = w.file AND l.number = w.line
         WHERE w.merchant = of_merchant AND w.file = ANY (family) AND w.why = 'disregarded'),
    -- How many of those that are alike this file has beside the lines that stand: as many of the disregarded ones are told of still.
    room AS MATERIALIZED (
        SELECT paystream.settlement_print(l) AS print, count(*) FILTER (WHERE l.file = of_file) - count(*) FILTER (WHERE w.file IS NULL) AS lines
          FROM paystream.settlement_line l
          LEFT JOIN paystream.settlement_withdrawal w ON w.merchant = l.merchant AND w.file = l.file AND w.line = l.number
         WHERE l.merchant = of_merchant AND l.file = ANY (family)
           AND paystream.settlement_print(l) IN (SELECT d.print FROM disregarded d)
         GROUP BY 1),
    lacking AS MATERIALIZED (
        SELECT d.file, d.number
          FROM (SELECT *, row_number() OVER (PARTITION BY print ORDER BY file, number) AS place FROM disregarded) d
          LEFT JOIN room r ON r.print = d.print WHERE d.place > coalesce(r.lines, 0))
    INSERT INTO paystream.settlement_entry (merchant, account, kind, amount, currency, effective_at, act, file, line)
    SELECT of_merchant, of_account, 'rounding', r.due - r.booked, r.currency, (r.place).at, of_act, (r.place).file, (r.place).number
      FROM (SELECT s.currency, s.place, CASE WHEN abs(s.rest) <= of_most THEN s.rest ELSE 0 END AS due,
                   coalesce((SELECT sum(e.amount) FROM paystream.settlement_entry e
                              WHERE e.merchant = of_merchant AND e.file = ANY (family) AND e.kind = 'rounding'
                                AND e.currency = s.currency), 0) AS booked
              FROM (SELECT l.currency, sum(l.side * l.amount::numeric - l.fee) AS rest,
                           -- Of the last payout.
                           (array_agg(l ORDER BY l.at DESC, l.file, l.number DESC) FILTER (WHERE l.kind = 'payout'))[1] AS place
                      FROM paystream.settlement_line l
                     WHERE l.merchant = of_merchant AND l.file = ANY (family)
                       -- What two persons disregard is in the provider's sum all the same, as long as the file tells of it.
                       AND NOT EXISTS (SELECT FROM paystream.settlement_withdrawal w
                                        WHERE w.merchant = l.merchant AND w.file = l.file AND w.line = l.number
                                          AND w.why IN ('superseded', 'repeated'))
                       AND NOT EXISTS (SELECT FROM lacking k WHERE k.file = l.file AND k.number = l.number)
                       -- What another file has already is in that one's sum.
                       AND NOT EXISTS (SELECT FROM paystream.settlement_exception x
                                        WHERE x.merchant = l.merchant AND x.file = l.file AND x.line = l.number AND x.class = 'duplicate'
                                          AND (x.ended_act IS NULL OR x.outcome = 'disregarded'))
                     GROUP BY l.currency HAVING count(*) FILTER (WHERE l.kind = 'payout') > 0) s) r
     WHERE r.due <> r.booked;
END
$$;
