-- Adds a step to what became of an exception; answers its number.
CREATE OR REPLACE FUNCTION paystream.settlement_note(of_merchant int, of_exception uuid, of_act uuid, of_kind text, of_detail json)
RETURNS int LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    place int;
BEGIN
    SELECT coalesce(max(s.number), 0) + 1 INTO place
      FROM paystream.settlement_step s WHERE s.merchant = of_merchant AND s.exception = of_exception;
    INSERT INTO paystream.settlement_step (merchant, exception, number, act, kind, detail)
    VALUES (of_merchant, of_exception, place, of_act, of_kind, of_detail);
    RETURN place;
END
$$;
