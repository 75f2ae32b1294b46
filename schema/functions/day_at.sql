-- The day of the newest event up to a position, in a zone.
CREATE OR REPLACE FUNCTION paystream.day_at(as_of bigint, zone text) RETURNS date
LANGUAGE sql STABLE AS $$
    SELECT (coalesce((SELECT e.at FROM paystream.event e WHERE e.pos <= as_of ORDER BY e.pos DESC LIMIT 1), now()) AT TIME ZONE zone)::date
$$;
