-- Whether a line is matched with a movement that is settled, as of a position: its day is the movement's then.
CREATE OR REPLACE FUNCTION paystream.settlement_moves(of_merchant int, as_of bigint, of_file uuid, of_line int)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM (
            SELECT x.stream, x.version, x.number, x.act FROM paystream.settlement_match x
             WHERE x.merchant = of_merchant AND x.file = of_file AND x.line = of_line AND x.ended_act IS NULL
            UNION ALL
            SELECT x.stream, x.version, x.number, x.act FROM paystream.settlement_match x
             WHERE x.merchant = of_merchant AND x.file = of_file AND x.line = of_line AND x.ended_act IS NOT NULL
               AND coalesce((SELECT a.pos FROM paystream.settlement_act a WHERE a.merchant = of_merchant AND a.id = x.ended_act) > as_of, true)) y
          CROSS JOIN LATERAL (
              SELECT FROM paystream.settleable(of_merchant, as_of) s
               WHERE s.stream = y.stream AND s.version = y.version AND s.number = y.number OFFSET 0) m
         WHERE (SELECT a.pos FROM paystream.settlement_act a WHERE a.merchant = of_merchant AND a.id = y.act) <= as_of)
$$;
