-- The report 'approval': how attempts at providers ended, by day, and who got as far as paying.
CREATE OR REPLACE FUNCTION paystream.report_approval(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (day date, kind text, provider text, account text, mode text, method text, currency text,
    attempts bigint, approved bigint, declined bigint, expired bigint, cancelled bigint, approval_rate numeric, late bigint,
    unattended bigint, acted bigint, paid bigint, payment_rate numeric)
LANGUAGE sql STABLE AS $$
    SELECT s.day, s.kind, s.provider, s.account, s.mode, s.method, s.currency, s.approved + s.declined + s.expired + s.cancelled,
           s.approved, s.declined, s.expired, s.cancelled,
           paystream.percentage(s.approved, s.approved + s.declined + s.expired + s.cancelled), s.late, s.unattended, s.acted, s.paid,
           paystream.percentage(s.paid, s.acted)
      FROM (SELECT f.day, f.kind, f.provider, f.account, f.mode, f.method, f.currency,
                   count(*) FILTER (WHERE f.fact = 'approved' AND f.is_first AND NOT f.is_late) AS approved,
                   count(*) FILTER (WHERE f.fact = 'ended' AND f.is_first AND f.part = 'declined') AS declined,
                   count(*) FILTER (WHERE f.fact = 'ended' AND f.is_first AND f.part = 'expired') AS expired,
                   count(*) FILTER (WHERE f.fact = 'ended' AND f.is_first AND f.part = 'cancelled') AS cancelled,
                   count(*) FILTER (WHERE f.fact = 'approved' AND f.is_first AND f.is_late) AS late,
                   count(*) FILTER (WHERE f.fact = 'ended' AND NOT f.is_first) AS unattended,
                   count(*) FILTER (WHERE f.fact = 'tried' AND f.is_payments_first) AS acted,
                   count(*) FILTER (WHERE f.fact = 'approved' AND f.is_payments_first) AS paid
              FROM paystream.facts(of_merchant, zone, first_day, end_day, of_mode, as_of) f
             WHERE f.fact IN ('approved', 'ended', 'tried')
             GROUP BY 1, 2, 3, 4, 5, 6, 7) s
     WHERE s.approved + s.declined + s.expired + s.cancelled + s.late + s.unattended + s.acted + s.paid > 0
     ORDER BY 1, 2, 3, 4, 5, 6, 7
$$;
