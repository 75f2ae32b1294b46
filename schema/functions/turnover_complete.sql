-- From which day on a merchant's turnover may still grow, though nothing moves any more: today, or the day of the oldest event
-- that the followers of the movements have not read, or on which a stream began that they set aside. `aside` counts those.
CREATE OR REPLACE FUNCTION paystream.turnover_complete(
    of_merchant int, of_zone text DEFAULT NULL, OUT open_day date, OUT aside bigint)
LANGUAGE sql STABLE AS $$
    WITH follower (name, kinds) AS (
        VALUES ('payment_view', '{1,7}'::smallint[]), ('bill_view', '{4,6}')
    ), unread AS (
        SELECT (SELECT e.at FROM paystream.event e
                 WHERE e.stream_kind = ANY (f.kinds) AND e.pos > coalesce((SELECT c.pos FROM paystream.checkpoint c
                        WHERE c.name = f.name AND c.lane = 0 ORDER BY c.version DESC LIMIT 1), 0)
                 ORDER BY e.pos LIMIT 1) AS at
          FROM follower f
    ), broken AS (
        SELECT coalesce((SELECT e.at FROM paystream.event e
                          WHERE e.merchant = q.merchant AND e.stream = q.stream ORDER BY e.ver LIMIT 1), q.at) AS at
          FROM paystream.view_quarantine q JOIN follower f ON f.name = q.view WHERE q.merchant = of_merchant
    )
    SELECT (least(statement_timestamp(), (SELECT min(u.at) FROM unread u), (SELECT min(b.at) FROM broken b))
            AT TIME ZONE paystream.report_zone(of_merchant, of_zone))::date,
           (SELECT count(*) FROM broken)
$$;
