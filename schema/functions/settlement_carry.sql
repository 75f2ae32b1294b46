-- Lets matches and exceptions name the rows of a copy of the movements that is about to take their place: a movement is named by the row in
-- which it began, and another version may number rows otherwise. What the copy has no row for is named by none, and `settlement_carried`
-- looks at it behind the swap: then the answer is true. Imports and verdicts wait until then.
CREATE OR REPLACE FUNCTION paystream.settlement_carry(copy text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    is_lost boolean;
BEGIN
    PERFORM FROM paystream.settlement_account a ORDER BY a.merchant, a.account FOR UPDATE;
    -- Of a copy that nobody looked at, any index is as good as the one that finds a payment.
    EXECUTE format('ANALYZE %I.movement', copy);
    EXECUTE format($carry$
        CREATE TEMP TABLE settlement_carry ON COMMIT DROP AS
        SELECT u.merchant, u.stream, u.version, u.number, n.version AS new_version, n.number AS new_number
          FROM (SELECT x.merchant, x.stream, x.version, x.number FROM paystream.settlement_match x
                UNION
                SELECT x.merchant, x.stream, x.version, x.number FROM paystream.settlement_exception x WHERE x.stream IS NOT NULL) u
          LEFT JOIN paystream.movement m
            ON m.merchant = u.merchant AND m.stream = u.stream AND m.version = u.version AND m.number = u.number
          LEFT JOIN LATERAL (
              SELECT c.version, c.number FROM %I.movement c
               WHERE c.merchant = m.merchant AND c.stream = m.stream AND c.kind = m.kind AND c.items = 1
                 AND c.account IS NOT DISTINCT FROM m.account AND c.part IS NOT DISTINCT FROM m.part AND c.provider_reference IS NOT DISTINCT FROM m.provider_reference
               ORDER BY c.version, c.number LIMIT 1) n ON true
         WHERE u.number >= 0 AND (n.version, n.number) IS DISTINCT FROM (u.version, u.number)
    $carry$, copy);
    -- Two may change places: first all of them leave theirs, for numbers below zero, which no row has.
    UPDATE paystream.settlement_match x SET number = (-1 - x.number)::smallint FROM pg_temp.settlement_carry c
     WHERE x.merchant = c.merchant AND x.stream = c.stream AND x.version = c.version AND x.number = c.number;
    UPDATE paystream.settlement_match x SET version = c.new_version, number = c.new_number FROM pg_temp.settlement_carry c
     WHERE x.merchant = c.merchant AND x.stream = c.stream AND x.version = c.version AND x.number = -1 - c.number
       AND c.new_version IS NOT NULL;
    UPDATE paystream.settlement_exception x
       SET version = coalesce(c.new_version, x.version), number = coalesce(c.new_number, (-1 - x.number)::smallint)
      FROM pg_temp.settlement_carry c
     WHERE x.merchant = c.merchant AND x.stream = c.stream AND x.version = c.version AND x.number = c.number;
    SELECT EXISTS (SELECT FROM pg_temp.settlement_carry c WHERE c.new_version IS NULL) INTO is_lost;
    DROP TABLE pg_temp.settlement_carry;
    RETURN is_lost;
END
$$;
