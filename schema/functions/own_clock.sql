-- Gives a merchant a clock of its own, once, and puts the timers that are armed under it. Nobody arms one meanwhile.
CREATE OR REPLACE FUNCTION paystream.own_clock(owner int, start timestamptz) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    LOCK TABLE paystream.due IN SHARE ROW EXCLUSIVE MODE;
    INSERT INTO paystream.merchant_clock (merchant, at) VALUES (owner, start) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE paystream.due x SET clocked = true WHERE x.merchant = owner AND x.stream_kind = 3;
    RETURN true;
END
$$;
