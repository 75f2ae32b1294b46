-- The report 'time-to-money': how long it took from a payment's creation until its first money was captured, by the day of that.
CREATE OR REPLACE FUNCTION paystream.report_time_to_money(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (day date, kind text, provider text, account text, mode text, method text, currency text,
    payments bigint, median_seconds bigint, p90_seconds bigint, p99_seconds bigint)
LANGUAGE sql STABLE AS $$
    SELECT f.day, f.kind, f.provider, f.account, f.mode, f.method, f.currency, count(*),
           percentile_disc(0.5) WITHIN GROUP (ORDER BY f.delay) / 1000000,
           CASE WHEN count(*) >= 20 THEN percentile_disc(0.9) WITHIN GROUP (ORDER BY f.delay) / 1000000 END,
           CASE WHEN count(*) >= 20 THEN percentile_disc(0.99) WITHIN GROUP (ORDER BY f.delay) / 1000000 END
      FROM paystream.facts(of_merchant, zone, first_day, end_day, of_mode, as_of) f
     WHERE f.fact = 'paid'
     GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
$$;
