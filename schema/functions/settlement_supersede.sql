-- Lets a file take the place of one that it corrects, and of all that did so before, line by line: what is the same stays what it was, and
-- what is not counts no longer. What was booked for it is taken back. A line that two persons disregarded stays disregarded.
CREATE OR REPLACE FUNCTION paystream.settlement_supersede(of_merchant int, of_file uuid, corrected uuid, of_act uuid) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    family CONSTANT uuid[] := ARRAY(SELECT c.id FROM paystream.settlement_family(of_merchant, corrected) AS c (id) WHERE c.id <> of_file);
BEGIN
    WITH old AS (
        SELECT l.file, l.number, w.file IS NOT NULL AS is_gone,
               md5(ROW(l.kind, l.word, l.amount, l.currency, l.fee, l.provider_reference, l.reference, l.at)::text) AS print
          FROM paystream.settlement_line l
          LEFT JOIN paystream.settlement_withdrawal w ON w.merchant = l.merchant AND w.file = l.file AND w.line = l.number
         WHERE l.merchant = of_merchant AND l.file = ANY (family) AND (w.file IS NULL OR w.why = 'disregarded')
    ), new AS (
        SELECT l.file, l.number, md5(ROW(l.kind, l.word, l.amount, l.currency, l.fee, l.provider_reference, l.reference, l.at)::text) AS print
          FROM paystream.settlement_line l WHERE l.merchant = of_merchant AND l.file = of_file
    ), pairs AS (
        SELECT o.file AS old_file, o.number AS old_number, o.is_gone, n.file AS new_file, n.number AS new_number
          FROM (SELECT *, row_number() OVER (PARTITION BY print ORDER BY is_gone, file, number) AS place FROM old) o
          FULL JOIN (SELECT *, row_number() OVER (PARTITION BY print ORDER BY number) AS place FROM new) n
            ON n.print = o.print AND n.place = o.place
    )
    INSERT INTO paystream.settlement_withdrawal (merchant, file, line, act, why)
    SELECT of_merchant, coalesce(p.new_file, p.old_file), coalesce(p.new_number, p.old_number), of_act,
           CASE WHEN p.new_file IS NULL THEN 'superseded' ELSE 'repeated' END
      FROM pairs p WHERE p.old_file IS NOT NULL AND (p.new_file IS NOT NULL OR NOT p.is_gone);
    PERFORM paystream.settlement_analyze((SELECT f.lines FROM paystream.settlement_file f WHERE f.merchant = of_merchant AND f.id = of_file),
        'withdrawal');
    PERFORM paystream.settlement_withdrawn(of_merchant, of_act, 'superseded');
END
$$;
