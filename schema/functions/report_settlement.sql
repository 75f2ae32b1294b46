-- The report 'settlement': what a provider owes, day by day, beside what its files come to. `carried` is what each account owed before the
-- first day, an object each, where somebody has summed that already.
CREATE OR REPLACE FUNCTION paystream.report_settlement(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false, carried json DEFAULT NULL)
RETURNS TABLE (day date, provider text, account text, mode text, currency text, opening numeric, captured numeric, refunded numeric,
    disputed numeric, fees numeric, reserve numeric, adjusted numeric, rounding numeric, payouts numeric, closing numeric, filed numeric)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, report_settlement.zone);
BEGIN
    RETURN QUERY
    WITH booked AS (
        SELECT v.day, v.provider, v.account, v.mode, v.currency,
               coalesce(sum(v.amount) FILTER (WHERE v.movement = 'captured'), 0) AS captured,
               coalesce(sum(CASE v.movement WHEN 'refunded' THEN v.amount WHEN 'refundReversed' THEN -v.amount END), 0) AS refunded,
               coalesce(sum(CASE v.movement WHEN 'disputed' THEN v.amount WHEN 'disputeWon' THEN -v.amount END), 0) AS disputed,
               coalesce(sum(v.amount) FILTER (WHERE v.movement = 'fee'), 0) AS fees,
               coalesce(sum(CASE v.movement WHEN 'reserveHeld' THEN v.amount WHEN 'reserveReturned' THEN -v.amount END), 0) AS reserve,
               coalesce(sum(v.amount) FILTER (WHERE v.movement = 'adjustment'), 0) AS adjusted,
               coalesce(sum(v.amount) FILTER (WHERE v.movement = 'rounding'), 0) AS rounding,
               coalesce(sum(v.amount) FILTER (WHERE v.movement = 'payout'), 0) AS payouts, 0::numeric AS filed
          FROM paystream.moved(of_merchant, named, CASE WHEN carried IS NOT NULL THEN first_day END, end_day, of_mode, as_of, by_effective) v
         WHERE v.movement IN ('captured', 'refunded', 'refundReversed', 'disputed', 'disputeWon', 'fee', 'reserveHeld', 'reserveReturned',
                              'adjustment', 'rounding', 'payout')
         GROUP BY 1, 2, 3, 4, 5),
    filed AS (
        SELECT ((CASE WHEN by_effective THEN l.at ELSE a.at END) AT TIME ZONE named)::date AS day, c.provider, c.name AS account, c.mode,
               l.currency, sum(l.side * l.amount::numeric - l.fee) AS filed
          FROM paystream.settlement_file f
          JOIN paystream.settlement_act a ON a.merchant = f.merchant AND a.id = f.act AND a.pos <= as_of
          JOIN paystream.settlement_account c ON c.merchant = f.merchant AND c.account = f.account
          JOIN paystream.settlement_line l ON l.merchant = f.merchant AND l.file = f.id
         WHERE f.merchant = of_merchant AND (of_mode IS NULL OR c.mode = of_mode)
           -- Lines are of their file's period.
           AND (first_day IS NULL
                OR CASE WHEN by_effective THEN f.ends_at ELSE a.at END >= first_day::timestamp AT TIME ZONE named)
           AND (end_day IS NULL OR CASE WHEN by_effective THEN f.begins_at ELSE a.at END < end_day::timestamp AT TIME ZONE named)
           AND NOT EXISTS (SELECT FROM paystream.settlement_withdrawal w
                             JOIN paystream.settlement_act g ON g.merchant = w.merchant AND g.id = w.act AND g.pos <= as_of
                            WHERE w.merchant = l.merchant AND w.file = l.file AND w.line = l.number)
         GROUP BY 1, 2, 3, 4, 5),
    days AS (
        SELECT b.* FROM booked b
        UNION ALL
        SELECT f.day, f.provider, f.account, f.mode, f.currency, 0, 0, 0, 0, 0, 0, 0, 0, f.filed FROM filed f
         WHERE (first_day IS NULL OR f.day >= first_day) AND (end_day IS NULL OR f.day < end_day)),
    sums AS (
        SELECT d.day, d.provider, d.account, d.mode, d.currency, sum(d.captured) AS captured, sum(d.refunded) AS refunded,
               sum(d.disputed) AS disputed, sum(d.fees) AS fees, sum(d.reserve) AS reserve, sum(d.adjusted) AS adjusted,
               sum(d.rounding) AS rounding, sum(d.payouts) AS payouts, sum(d.filed) AS filed
          FROM days d GROUP BY 1, 2, 3, 4, 5),
    changes AS (
        SELECT s.*, s.captured - s.refunded - s.disputed - s.fees - s.reserve + s.adjusted - s.rounding - s.payouts AS change FROM sums s
        UNION ALL
        SELECT NULL, c.provider, c.account, c.mode, c.currency, 0, 0, 0, 0, 0, 0, 0, 0, 0, c.closing
          FROM json_to_recordset(carried) AS c (provider text, account text, mode text, currency text, closing numeric)),
    told AS (
        SELECT c.*, sum(c.change) OVER (PARTITION BY c.provider, c.account, c.mode, c.currency ORDER BY c.day NULLS FIRST) AS closing
          FROM changes c)
    SELECT t.day, t.provider, t.account, t.mode, t.currency, t.closing - t.change, t.captured, t.refunded, t.disputed, t.fees, t.reserve,
           t.adjusted, t.rounding, t.payouts, t.closing, t.filed
      FROM told t WHERE t.day IS NOT NULL AND (first_day IS NULL OR t.day >= first_day)
     ORDER BY 1, 2, 3, 4, 5;
END
$$;
