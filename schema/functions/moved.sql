-- The movements that a report is about, each with its day: of a merchant, between days of a zone (`report_zone`; NULL is the merchant's own), of accounts of a mode (NULL is every
-- one), up to a position of the log. The day is that of the evidence, or the provider's where `by_effective` says so.
CREATE OR REPLACE FUNCTION paystream.moved(
    of_merchant int, zone text, first_day date, end_day date, of_mode text, as_of bigint, by_effective boolean)
RETURNS TABLE (day date, kind text, provider text, account text, mode text, currency text, movement text, amount numeric, items int,
    commanded boolean, payee text, method text, scheme text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, moved.zone);
BEGIN
    RETURN QUERY
    SELECT (t.at AT TIME ZONE named)::date, CASE v.stream_kind WHEN 7 THEN 'transfer' WHEN 1 THEN 'payment' WHEN 6 THEN 'bill' ELSE 'settlement' END,
           v.provider, v.account_name, v.account_mode, v.currency, v.kind, v.amount::numeric, v.items, v.commanded, v.payee, v.method, v.scheme
      FROM paystream.booked v,
           LATERAL (SELECT CASE WHEN by_effective THEN v.effective_at ELSE v.known_at END) AS t (at)
     WHERE v.merchant = of_merchant AND v.pos <= as_of AND (of_mode IS NULL OR v.account_mode = of_mode)
       AND (first_day IS NULL OR t.at >= paystream.day_begins(first_day, named))
       AND (end_day IS NULL OR t.at < paystream.day_begins(end_day, named));
END
$$;
