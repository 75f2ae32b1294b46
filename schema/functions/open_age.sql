-- How many days of a zone a moment is before a day, in classes.
CREATE OR REPLACE FUNCTION paystream.open_age(today date, since timestamptz, zone text) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN d.days < 2 THEN '0-1' WHEN d.days < 4 THEN '2-3' WHEN d.days < 8 THEN '4-7' WHEN d.days < 31 THEN '8-30' ELSE '31+' END
      FROM (SELECT today - (since AT TIME ZONE zone)::date AS days) d
$$;
