-- When a day of a zone begins. Where clocks are set back at midnight, midnight comes twice, and a day begins with the first; where they are set forward
-- it does not come, and a day begins with what comes instead.
CREATE OR REPLACE FUNCTION paystream.day_begins(day date, zone text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT least(day::timestamp AT TIME ZONE zone, ((day::timestamp - interval '1 microsecond') AT TIME ZONE zone) + interval '1 microsecond')
$$;
