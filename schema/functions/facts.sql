-- The facts that a report is about, each with its day, as `moved` gives the movements. They have one time, that of their evidence.
CREATE OR REPLACE FUNCTION paystream.facts(
    of_merchant int, zone text, first_day date, end_day date, of_mode text, as_of bigint)
RETURNS TABLE (day date, kind text, provider text, account text, mode text, method text, currency text, fact text, stream uuid, part text,
    attempt smallint, decline_class text, decline_code text, is_first boolean, is_payments_first boolean, is_late boolean, items int,
    delay bigint, amount bigint, pos bigint)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, facts.zone);
BEGIN
    RETURN QUERY
    SELECT (f.known_at AT TIME ZONE named)::date,
           CASE f.stream_kind WHEN 7 THEN 'transfer' WHEN 1 THEN 'payment' ELSE 'schedule' END, f.provider, f.account_name,
           f.account_mode, coalesce(f.method, ''), coalesce(f.currency, ''), f.kind, f.stream, f.part, f.attempt, f.decline_class,
           f.decline_code, f.is_first, f.is_payments_first, f.is_late, f.items, f.delay, f.amount, f.pos
      FROM paystream.fact f
     WHERE f.merchant = of_merchant AND f.pos <= as_of AND (of_mode IS NULL OR f.account_mode = of_mode)
       AND (first_day IS NULL OR f.known_at >= paystream.day_begins(first_day, named))
       AND (end_day IS NULL OR f.known_at < paystream.day_begins(end_day, named));
END
$$;
