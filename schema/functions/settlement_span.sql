-- What an account's files are about: the begin of the first one's period, and the end of the last one's. Of files that stand in one place the
-- newest one counts; one that is being imported is it.
CREATE OR REPLACE FUNCTION paystream.settlement_span(of_merchant int, of_account uuid, OUT since timestamptz, OUT through timestamptz)
LANGUAGE sql STABLE AS $$
    WITH RECURSIVE place AS (
        SELECT f.id, f.id AS root FROM paystream.settlement_file f
         WHERE f.merchant = of_merchant AND f.account = of_account AND f.corrects IS NULL
        UNION
        SELECT f.id, p.root FROM place p JOIN paystream.settlement_file f ON f.merchant = of_merchant AND f.corrects = p.id
    )
    SELECT min(n.begins_at), max(n.ends_at)
      FROM (SELECT DISTINCT ON (p.root) f.begins_at, f.ends_at
              FROM place p
              JOIN paystream.settlement_file f ON f.merchant = of_merchant AND f.id = p.id
              LEFT JOIN paystream.settlement_act a ON a.merchant = of_merchant AND a.id = f.act
             ORDER BY p.root, a.pos DESC NULLS FIRST) n
$$;
