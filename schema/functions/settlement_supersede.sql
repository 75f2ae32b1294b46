-- Lets a file take the place of one that it corrects, line by line: what is the same stays what it was, and what is not counts no longer.
-- What was booked for it is taken back.
CREATE OR REPLACE FUNCTION paystream.settlement_supersede(of_merchant int, of_file uuid, corrected uuid, of_act uuid) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    WITH RECURSIVE chain AS (
        SELECT f.id, f.corrects FROM paystream.settlement_file f WHERE f.merchant = of_merchant AND f.id = corrected
        UNION
        SELECT f.id, f.corrects FROM paystream.settlement_file f JOIN chain c ON f.id = c.corrects WHERE f.merchant = of_merchant
    ), old AS (
        SELECT l.file, l.number, md5(ROW(l.kind, l.word, l.amount, l.currency, l.fee, l.provider_reference, l.reference, l.at)::text) AS print
          FROM chain c JOIN paystream.settlement_line l ON l.merchant = of_merchant AND l.file = c.id
         WHERE NOT EXISTS (SELECT FROM paystream.settlement_withdrawal w
                            WHERE w.merchant = l.merchant AND w.file = l.file AND w.line = l.number)
    ), new AS (
        SELECT l.file, l.number, md5(ROW(l.kind, l.word, l.amount, l.currency, l.fee, l.provider_reference, l.reference, l.at)::text) AS print
          FROM paystream.settlement_line l WHERE l.merchant = of_merchant AND l.file = of_file
    ), pairs AS (
        SELECT o.file AS old_file, o.number AS old_number, n.file AS new_file, n.number AS new_number
          FROM (SELECT *, row_number() OVER (PARTITION BY print ORDER BY file, number) AS place FROM old) o
          FULL JOIN (SELECT *, row_number() OVER (PARTITION BY print ORDER BY number) AS place FROM new) n
            ON n.print = o.print AND n.place = o.place
    )
    INSERT INTO paystream.settlement_withdrawal (merchant, file, line, act, why)
    SELECT of_merchant, coalesce(p.new_file, p.old_file), coalesce(p.new_number, p.old_number), of_act,
           CASE WHEN p.new_file IS NULL THEN 'superseded' ELSE 'repeated' END
      FROM pairs p WHERE p.old_file IS NOT NULL;
    PERFORM paystream.settlement_analyze((SELECT f.lines FROM paystream.settlement_file f WHERE f.merchant = of_merchant AND f.id = of_file),
        'withdrawal');
    PERFORM paystream.settlement_withdrawn(of_merchant, of_act, 'superseded');
END
$$;
