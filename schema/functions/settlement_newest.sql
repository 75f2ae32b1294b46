-- The file that counts of those that stand in one place: the newest; one that is being imported has no place in the log yet, and is it.
CREATE OR REPLACE FUNCTION paystream.settlement_newest(of_merchant int, of_file uuid) RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT f.id
      FROM paystream.settlement_family(of_merchant, of_file) AS n (id)
      JOIN paystream.settlement_file f ON f.merchant = of_merchant AND f.id = n.id
      LEFT JOIN paystream.settlement_act a ON a.merchant = f.merchant AND a.id = f.act
     ORDER BY a.pos DESC NULLS FIRST LIMIT 1
$$;
