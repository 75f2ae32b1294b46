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
    begins CONSTANT timestamptz := coalesce(paystream.day_begins(first_day, named), '-infinity');
    ends CONSTANT timestamptz := coalesce(paystream.day_begins(end_day, named), 'infinity');
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
    -- Lines stand on their own day where days are the provider's. Else they stand on that of their file, and what counts no longer is taken off on
    -- the day on which that was decided: no day of before changes.
    lines AS (
        SELECT l.at, f.account, l.currency, l.side * l.amount::numeric - l.fee AS filed
          FROM paystream.settlement_file f
          JOIN paystream.settlement_act a ON a.merchant = f.merchant AND a.id = f.act AND a.pos <= as_of
          JOIN paystream.settlement_line l ON l.merchant = f.merchant AND l.file = f.id
         -- Lines are of their file's period.
         WHERE by_effective AND f.merchant = of_merchant AND f.ends_at >= begins AND f.begins_at < ends
           AND NOT EXISTS (SELECT FROM paystream.settlement_withdrawal w
                             JOIN paystream.settlement_act g ON g.merchant = w.merchant AND g.id = w.act AND g.pos <= as_of
                            WHERE w.merchant = l.merchant AND w.file = l.file AND w.line = l.number)
        UNION ALL
        SELECT a.at, f.account, l.currency, l.side * l.amount::numeric - l.fee
          FROM paystream.settlement_act a
          JOIN paystream.settlement_file f ON f.merchant = a.merchant AND f.id = a.id
          JOIN paystream.settlement_line l ON l.merchant = f.merchant AND l.file = f.id
         WHERE NOT by_effective AND a.merchant = of_merchant AND a.pos <= as_of AND a.at >= begins AND a.at < ends
           AND NOT EXISTS (SELECT FROM paystream.settlement_withdrawal w
                            WHERE w.merchant = l.merchant AND w.file = l.file AND w.line = l.number AND w.act = a.id)
        UNION ALL
        SELECT g.at, f.account, l.currency, l.fee - l.side * l.amount::numeric
          FROM paystream.settlement_act g
          JOIN paystream.settlement_withdrawal w ON w.merchant = g.merchant AND w.act = g.id AND w.file <> g.id
          JOIN paystream.settlement_file f ON f.merchant = w.merchant AND f.id = w.file
          JOIN paystream.settlement_line l ON l.merchant = w.merchant AND l.file = w.file AND l.number = w.line
         WHERE NOT by_effective AND g.merchant = of_merchant AND g.pos <= as_of AND g.at >= begins AND g.at < ends),
    filed AS (
        SELECT (l.at AT TIME ZONE named)::date AS day, c.provider, c.name AS account, c.mode, l.currency, sum(l.filed) AS filed
          FROM lines l
          JOIN paystream.settlement_account c ON c.merchant = of_merchant AND c.account = l.account
         WHERE of_mode IS NULL OR c.mode = of_mode
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
