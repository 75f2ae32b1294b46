-- The report 'three-d-secure': whose bank asked for 3-D Secure, by day, and what came of it.
CREATE OR REPLACE FUNCTION paystream.report_three_d_secure(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (day date, kind text, provider text, account text, mode text, method text, currency text,
    tries bigint, challenged bigint, challenge_rate numeric, passed bigint, failed bigint, frictionless bigint, pass_rate numeric)
LANGUAGE sql STABLE AS $$
    SELECT s.day, s.kind, s.provider, s.account, s.mode, s.method, s.currency, s.tries, s.challenged,
           paystream.percentage(s.challenged, s.tries), s.passed, s.failed, s.frictionless,
           paystream.percentage(s.passed, s.passed + s.failed)
      FROM (SELECT f.day, f.kind, f.provider, f.account, f.mode, f.method, f.currency,
                   count(*) FILTER (WHERE f.fact = 'tried') AS tries, count(*) FILTER (WHERE f.fact = 'challenged') AS challenged,
                   count(*) FILTER (WHERE f.fact = 'approved' AND c.is_shown) AS passed,
                   count(*) FILTER (WHERE f.fact = 'refused' AND c.is_shown) AS failed,
                   count(*) FILTER (WHERE f.fact = 'approved' AND NOT c.is_shown) AS frictionless
              FROM paystream.facts(of_merchant, zone, first_day, end_day, of_mode, as_of) f,
                   LATERAL (SELECT f.fact IN ('approved', 'refused') AND EXISTS (
                       SELECT FROM paystream.fact x WHERE x.merchant = of_merchant AND x.stream = f.stream AND x.kind = 'challenged'
                          AND x.part = f.part AND x.pos <= f.pos) AS is_shown) c
             WHERE f.fact IN ('tried', 'challenged', 'approved', 'refused')
             GROUP BY 1, 2, 3, 4, 5, 6, 7) s
     ORDER BY 1, 2, 3, 4, 5, 6, 7
$$;
