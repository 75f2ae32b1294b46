-- How long it took from a payment's beginning to its first money, taken or held, by provider: how many payments, and milliseconds that half of
-- them and nineteen of twenty did not exceed. The payments are those of `payment_activity`.
CREATE OR REPLACE FUNCTION paystream.time_to_money(of_merchant int, zone text, first_day date, end_day date, of_mode text)
RETURNS TABLE (provider text, payments bigint, median bigint, most bigint)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, time_to_money.zone);
BEGIN
    RETURN QUERY
    SELECT t.provider, count(*), percentile_disc(0.5) WITHIN GROUP (ORDER BY t.took),
           percentile_disc(0.95) WITHIN GROUP (ORDER BY t.took)
      FROM (SELECT v.provider, (extract(epoch FROM f.at - v.created_at) * 1000)::bigint AS took
              FROM paystream.payment_view v,
                   LATERAL (SELECT min(m.known_at) AS at FROM paystream.movement m
                             WHERE m.merchant = v.merchant AND m.stream = v.id
                               AND m.kind IN ('captured', 'authorised', 'transferred')) f
             WHERE v.merchant = of_merchant AND (of_mode IS NULL OR v.account_mode = of_mode) AND f.at IS NOT NULL
               AND v.created_at >= first_day::timestamp AT TIME ZONE named
               AND v.created_at < end_day::timestamp AT TIME ZONE named) t
     GROUP BY 1 ORDER BY 1;
END
$$;
