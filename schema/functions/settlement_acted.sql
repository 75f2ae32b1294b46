-- Gives an act its place in the log, the last thing that its transaction does: whatever it wrote is of that position, and no report as of an
-- earlier one has it. No EXCEPTION block may be around it.
CREATE OR REPLACE FUNCTION paystream.settlement_acted(of_merchant int, of_act uuid, of_actor text, of_what text) RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    place bigint;
BEGIN
    PERFORM paystream.publish_floor();
    place := nextval('paystream.pos_seq');
    INSERT INTO paystream.settlement_act (merchant, id, pos, at, actor, what)
    VALUES (of_merchant, of_act, place, clock_timestamp(), of_actor, of_what);
    RETURN place;
END
$$;
