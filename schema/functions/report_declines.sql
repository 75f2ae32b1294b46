-- The report 'declines': why tries were refused, by day, in our words and by the provider's codes.
CREATE OR REPLACE FUNCTION paystream.report_declines(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (day date, kind text, provider text, account text, mode text, method text, currency text,
    decline_class text, decline_code text, declines bigint, tries bigint, share numeric)
LANGUAGE sql STABLE AS $$
    WITH told AS MATERIALIZED (
        SELECT f.* FROM paystream.facts(of_merchant, zone, first_day, end_day, of_mode, as_of) f WHERE f.fact IN ('tried', 'refused')),
    tried AS (
        SELECT t.day, t.kind, t.provider, t.account, t.mode, t.method, t.currency, count(*) AS tries
          FROM told t WHERE t.fact = 'tried' GROUP BY 1, 2, 3, 4, 5, 6, 7)
    SELECT r.day, r.kind, r.provider, r.account, r.mode, r.method, r.currency, coalesce(r.decline_class, ''), coalesce(r.decline_code, ''),
           count(*), coalesce(max(t.tries), 0), paystream.percentage(count(*), coalesce(max(t.tries), 0))
      FROM told r LEFT JOIN tried t USING (day, kind, provider, account, mode, method, currency)
     WHERE r.fact = 'refused'
     GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9
$$;
