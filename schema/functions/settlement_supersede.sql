-- Lets a file take the place of one that it corrects, and of all that did so before, line by line: what is the same stays what it was, and
-- what is not counts no longer. What was booked for it is taken back. A line that two persons disregarded stays disregarded. The same line by
-- another tariff is another one: its fee is booked anew.
CREATE OR REPLACE FUNCTION paystream.settlement_supersede(of_merchant int, of_file uuid, corrected uuid, of_act uuid) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    of_account CONSTANT uuid := (SELECT f.account FROM paystream.settlement_file f WHERE f.merchant = of_merchant AND f.id = of_file);
    family CONSTANT uuid[] := ARRAY(SELECT c.id FROM paystream.settlement_family(of_merchant, corrected) AS c (id) WHERE c.id <> of_file);
BEGIN
    WITH known AS MATERIALIZED (
        SELECT l AS line, l.file, l.number, l.expected_fee, w.file IS NOT NULL AS is_gone, paystream.settlement_print(l) AS print
          FROM paystream.settlement_line l
          LEFT JOIN paystream.settlement_withdrawal w ON w.merchant = l.merchant AND w.file = l.file AND w.line = l.number
         WHERE l.merchant = of_merchant AND l.file = ANY (family) AND (w.file IS NULL OR w.why = 'disregarded')
    ), old AS (
        SELECT k.file, k.number, k.expected_fee, k.is_gone, k.print FROM known k
         WHERE NOT k.is_gone
            -- What was disregarded for coming twice is told of anew where it comes once.
            OR k.print IN (SELECT o.print FROM known o WHERE NOT o.is_gone)
            OR NOT EXISTS (SELECT FROM paystream.settlement_exception x
                            WHERE x.merchant = of_merchant AND x.file = k.file AND x.line = k.number AND x.class = 'duplicate'
                              AND x.outcome = 'disregarded')
            OR paystream.settlement_twice(k.line, of_account, family || of_file)
    ), new AS (
        SELECT l.file, l.number, l.expected_fee, paystream.settlement_print(l) AS print
          FROM paystream.settlement_line l WHERE l.merchant = of_merchant AND l.file = of_file
    ), pairs AS (
        SELECT o.file AS old_file, o.number AS old_number, o.is_gone, n.file AS new_file, n.number AS new_number,
               n.file IS NOT NULL AND (o.is_gone OR o.expected_fee IS NOT DISTINCT FROM n.expected_fee) AS is_same
          FROM (SELECT *, row_number() OVER (PARTITION BY print ORDER BY is_gone, expected_fee, file, number) AS place FROM old) o
          LEFT JOIN (SELECT *, row_number() OVER (PARTITION BY print ORDER BY expected_fee, number) AS place FROM new) n
            ON n.print = o.print AND n.place = o.place
    )
    INSERT INTO paystream.settlement_withdrawal (merchant, file, line, act, why)
    SELECT of_merchant, CASE WHEN p.is_same THEN p.new_file ELSE p.old_file END, CASE WHEN p.is_same THEN p.new_number ELSE p.old_number END,
           of_act, CASE WHEN p.is_same THEN 'repeated' ELSE 'superseded' END
      FROM pairs p WHERE p.is_same OR NOT p.is_gone;
    PERFORM paystream.settlement_analyze((SELECT f.lines FROM paystream.settlement_file f WHERE f.merchant = of_merchant AND f.id = of_file),
        'withdrawal');
    PERFORM paystream.settlement_withdrawn(of_merchant, of_act, 'superseded');
END
$$;
