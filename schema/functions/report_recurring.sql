-- The report 'recurring': what fell due in schedules, by day, what of it was collected, and who was lost.
CREATE OR REPLACE FUNCTION paystream.report_recurring(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (day date, provider text, account text, mode text, currency text,
    due bigint, collected bigint, collected_amount numeric, declined bigint, recovered bigint, recovery_rate numeric, lost bigint,
    skipped bigint, active bigint, ended bigint, churned bigint, churn_rate numeric)
LANGUAGE sql STABLE AS $$
    SELECT s.day, s.provider, s.account, s.mode, s.currency, s.due, s.collected, s.collected_amount, s.declined, s.recovered,
           paystream.percentage(s.recovered, s.declined), s.lost, s.skipped, s.active, s.ended, s.churned,
           paystream.percentage(s.churned, s.active)
      FROM (SELECT f.day, f.provider, f.account, f.mode, f.currency,
                   count(*) FILTER (WHERE f.fact = 'due') AS due, count(*) FILTER (WHERE f.fact = 'collected') AS collected,
                   coalesce(sum(f.amount) FILTER (WHERE f.fact = 'collected'), 0) AS collected_amount,
                   count(*) FILTER (WHERE f.fact = 'declined' AND f.is_first) AS declined,
                   count(*) FILTER (WHERE f.fact = 'collected' AND f.is_late) AS recovered,
                   count(*) FILTER (WHERE f.fact = 'lost') AS lost,
                   coalesce(sum(f.items) FILTER (WHERE f.fact = 'skipped'), 0) AS skipped,
                   -- Those that began and did not end on the days before.
                   (sum(count(*) FILTER (WHERE f.fact = 'began') - count(*) FILTER (WHERE f.fact = 'over')) OVER (
                       PARTITION BY f.provider, f.account, f.mode, f.currency ORDER BY f.day
                       ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))::bigint AS active_before,
                   count(*) FILTER (WHERE f.fact = 'over') AS ended,
                   count(*) FILTER (WHERE f.fact = 'over' AND f.part = 'givenUp') AS churned
              FROM paystream.facts(of_merchant, zone, NULL, end_day, of_mode, as_of) f
             WHERE f.kind = 'schedule'
             GROUP BY 1, 2, 3, 4, 5) g,
           LATERAL (SELECT g.*, coalesce(g.active_before, 0) AS active) s
     WHERE first_day IS NULL OR s.day >= first_day
     ORDER BY 1, 2, 3, 4, 5
$$;
