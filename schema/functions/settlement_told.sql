-- Whether an exception tells of a movement that no line tells of, as of a position: it is open, or what two persons adjusted of it stands.
CREATE OR REPLACE FUNCTION paystream.settlement_told(of_merchant int, as_of bigint, of_stream uuid, of_version int, of_number smallint)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM paystream.settlement_exception x
         WHERE x.merchant = of_merchant AND x.stream = of_stream AND x.version = of_version AND x.number = of_number AND x.file IS NULL
           AND (SELECT a.pos FROM paystream.settlement_act a WHERE a.merchant = of_merchant AND a.id = x.act) <= as_of
           AND (coalesce((SELECT a.pos FROM paystream.settlement_act a WHERE a.merchant = of_merchant AND a.id = x.ended_act) > as_of, true)
                OR x.outcome = 'adjusted' AND paystream.settlement_stands(of_merchant, x.id, as_of)))
$$;
