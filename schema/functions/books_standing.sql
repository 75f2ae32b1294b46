-- From which day on a merchant's reports as of a position of the log may still grow: the day of the newest event up to there, or the day on
-- which a stream began that the follower of the movements set aside. `aside` counts those. An event's time is taken a little before its place in
-- the log, so a day is over a minute behind its end.
CREATE OR REPLACE FUNCTION paystream.books_standing(
    of_merchant int, zone text, as_of bigint, OUT open_day date, OUT aside bigint)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, zone);
    oldest timestamptz;
BEGIN
    SELECT count(*), min(coalesce((SELECT e.at FROM paystream.event e
                                    WHERE e.merchant = q.merchant AND e.stream = q.stream ORDER BY e.ver LIMIT 1), q.at))
      INTO aside, oldest
      FROM paystream.view_quarantine q WHERE q.view = 'movement' AND q.merchant = of_merchant AND q.pos < as_of;
    open_day := (least((SELECT e.at - interval '1 minute' FROM paystream.event e WHERE e.pos <= as_of ORDER BY e.pos DESC LIMIT 1), oldest)
        AT TIME ZONE named)::date;
END
$$;
