-- How long it took, in milliseconds that half of the cases and nineteen of twenty of them did not exceed, by provider and by the day of a zone on
-- which it was told, or over all days (`day` is the first one then). `of_kind` is that of `delay_count`; what is told is the upper end of a step,
-- at most a tenth above what was.
CREATE OR REPLACE FUNCTION paystream.delays(
    of_merchant int, zone text, first_day date, end_day date, of_mode text, of_kind text, by_day boolean)
RETURNS TABLE (day date, provider text, cases bigint, median bigint, most bigint)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, delays.zone);
BEGIN
    RETURN QUERY
    SELECT r.day, r.provider, max(r.whole)::bigint,
           round(2::float8 ^ (min(r.step) FILTER (WHERE r.upto * 2 >= r.whole) / 8::float8))::bigint,
           round(2::float8 ^ (min(r.step) FILTER (WHERE r.upto * 20 >= r.whole * 19) / 8::float8))::bigint
      FROM (SELECT s.day, s.provider, s.step, sum(s.cases) OVER (PARTITION BY s.day, s.provider ORDER BY s.step) AS upto,
                   sum(s.cases) OVER (PARTITION BY s.day, s.provider) AS whole
              FROM (SELECT CASE WHEN by_day THEN d.day ELSE first_day END AS day, c.provider, c.step, sum(c.cases) AS cases
                      FROM (SELECT first_day + n AS day FROM generate_series(0, end_day - first_day - 1) AS g (n)) d,
                           -- Each day by its bounds: no row is asked for its day.
                           LATERAL (SELECT t.provider, t.step, sum(t.cases) AS cases
                                      FROM paystream.delay_count t
                                     WHERE t.merchant = of_merchant AND t.kind = of_kind AND (of_mode IS NULL OR t.account_mode = of_mode)
                                       AND t.at >= paystream.day_begins(d.day, named)
                                       AND t.at < paystream.day_begins(d.day + 1, named)
                                     GROUP BY 1, 2) c
                     GROUP BY 1, 2, 3 HAVING sum(c.cases) <> 0) s) r
     GROUP BY r.day, r.provider ORDER BY r.day, r.provider;
END
$$;
