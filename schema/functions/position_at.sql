-- The place of the log as of a moment, and no further than `reached`: before the first event of anybody that was recorded later, so that ages are
-- counted to the moment, and before what settlement booked of the merchant later. An event's time is taken a little before its place: the
-- merchant's own of the moment's last minute are in.
CREATE OR REPLACE FUNCTION paystream.position_at(of_merchant int, moment timestamptz, reached bigint) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
    low bigint := 0;
    high bigint := reached;
    middle bigint;
BEGIN
    -- All that is before `low` is of a minute before the moment, or older.
    WHILE high - low > 1000 LOOP
        middle := (low + high) / 2;
        IF (SELECT e.at FROM paystream.event e WHERE e.pos >= middle ORDER BY e.pos LIMIT 1) <= moment - interval '1 minute' THEN
            low := middle;
        ELSE
            high := middle;
        END IF;
    END LOOP;
    RETURN least(
        reached,
        greatest(
            coalesce(
                (SELECT e.pos - 1 FROM paystream.event e WHERE e.pos >= low AND e.pos <= reached AND e.at > moment ORDER BY e.pos LIMIT 1),
                reached),
            (SELECT max(m.pos) FROM paystream.movement m
              WHERE m.merchant = of_merchant AND m.known_at > moment - interval '1 minute' AND m.known_at <= moment),
            (SELECT max(f.pos) FROM paystream.fact f
              WHERE f.merchant = of_merchant AND f.known_at > moment - interval '1 minute' AND f.known_at <= moment)),
        (SELECT min(p.pos) - 1 FROM (
            SELECT m.pos FROM paystream.movement m
             WHERE m.merchant = of_merchant AND m.known_at > moment AND m.known_at < moment + interval '1 minute'
            UNION ALL
            SELECT f.pos FROM paystream.fact f
             WHERE f.merchant = of_merchant AND f.known_at > moment AND f.known_at < moment + interval '1 minute'
            UNION ALL
            SELECT a.pos FROM paystream.settlement_act a WHERE a.merchant = of_merchant AND a.at > moment) p));
END
$$;
