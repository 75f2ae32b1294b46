-- The line that a movement was matched with, as of a position: none or one.
CREATE OR REPLACE FUNCTION paystream.settlement_match_at(of_merchant int, as_of bigint, of_stream uuid, of_version int, of_number smallint)
RETURNS TABLE (file uuid, line int) LANGUAGE sql STABLE AS $$
    SELECT y.file, y.line
      FROM (SELECT x.file, x.line, x.act FROM paystream.settlement_match x
             WHERE x.merchant = of_merchant AND x.stream = of_stream AND x.version = of_version AND x.number = of_number AND x.ended_act IS NULL
            UNION ALL
            SELECT x.file, x.line, x.act FROM paystream.settlement_match x
             WHERE x.merchant = of_merchant AND x.stream = of_stream AND x.version = of_version AND x.number = of_number
               AND x.ended_act IS NOT NULL
               AND coalesce((SELECT a.pos FROM paystream.settlement_act a WHERE a.merchant = of_merchant AND a.id = x.ended_act) > as_of, true)) y
     WHERE (SELECT a.pos FROM paystream.settlement_act a WHERE a.merchant = of_merchant AND a.id = y.act) <= as_of
     OFFSET 0
$$;
