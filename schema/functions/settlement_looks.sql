-- Where each account was looked at last, as of a position: by an import, a review, or two persons who linked a line.
CREATE OR REPLACE FUNCTION paystream.settlement_looks(of_merchant int, as_of bigint) RETURNS json
LANGUAGE sql STABLE SET jit = off AS $$
    SELECT coalesce(json_agg(k), '[]') FROM (
        SELECT l.account, max(a.pos) AS pos
          FROM (SELECT f.account, f.act FROM paystream.settlement_file f WHERE f.merchant = of_merchant
                UNION
                SELECT x.account, u.act FROM paystream.settlement_match x, LATERAL (VALUES (x.act), (x.ended_act)) AS u (act)
                 WHERE x.merchant = of_merchant
                UNION
                SELECT x.account, u.act FROM paystream.settlement_exception x, LATERAL (VALUES (x.act), (x.ended_act)) AS u (act)
                 WHERE x.merchant = of_merchant
                   AND (SELECT a.pos FROM paystream.settlement_act a WHERE a.merchant = of_merchant AND a.id = x.act) <= as_of) l
          JOIN paystream.settlement_act a ON a.merchant = of_merchant AND a.id = l.act AND a.pos <= as_of
         WHERE a.what IN ('import', 'review', 'link')
         GROUP BY l.account) k
$$;
