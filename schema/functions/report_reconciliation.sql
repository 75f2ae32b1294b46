-- The report 'reconciliation': conservation, day by day. What our books say that payers' money came to is what files say, with what is
-- kept, open, in dispute and on its way; each figure is summed by itself, and `difference` is what would be lost between them. Days are the
-- provider's: a line's is that of its movement. What evidence changed since an account was looked at last is on its way, too.
--
-- The planner takes what is gathered here for a few rows, and would go through all of it for each of a million others.
CREATE OR REPLACE FUNCTION paystream.report_reconciliation(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (day date, provider text, account text, mode text, currency text, gross numeric, net numeric, fees numeric, open numeric,
    disputed numeric, timing numeric, difference numeric)
LANGUAGE plpgsql STABLE SET enable_nestloop = off SET jit = off AS $$
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, report_reconciliation.zone);
BEGIN
    RETURN QUERY
    WITH acts AS MATERIALIZED (
        SELECT a.id, a.pos, a.what FROM paystream.settlement_act a WHERE a.merchant = of_merchant AND a.pos <= as_of),
    matches AS MATERIALIZED (
        SELECT x.file, x.line, x.stream, x.version, x.number FROM paystream.settlement_match x
         WHERE x.merchant = of_merchant AND x.act IN (SELECT id FROM acts)
           AND (x.ended_act IS NULL OR x.ended_act NOT IN (SELECT id FROM acts))),
    items AS MATERIALIZED (
        SELECT x.*, x.ended_act IS NULL OR x.ended_act NOT IN (SELECT id FROM acts) AS is_open FROM paystream.settlement_exception x
         WHERE x.merchant = of_merchant AND x.act IN (SELECT id FROM acts)),
    moves AS MATERIALIZED (
        SELECT s.*, v.provider, v.account_name, v.account_mode
          FROM paystream.settleable(of_merchant, as_of) s
          JOIN paystream.movement v ON v.merchant = of_merchant AND v.stream = s.stream AND v.version = s.version AND v.number = s.number
         WHERE of_mode IS NULL OR v.account_mode = of_mode),
    -- Exceptions of which something that two persons booked still stands: see `settlement_stands`.
    standing AS MATERIALIZED (
        SELECT DISTINCT e.exception AS id FROM paystream.settlement_entry e
         WHERE e.merchant = of_merchant AND e.exception IS NOT NULL AND e.act IN (SELECT id FROM acts)
         GROUP BY e.exception, e.kind HAVING sum(e.amount) <> 0),
    -- Movements that a line or an exception tells of.
    held AS MATERIALIZED (
        SELECT x.stream, x.version, x.number FROM matches x
        UNION
        SELECT x.stream, x.version, x.number FROM items x
         WHERE x.stream IS NOT NULL AND x.file IS NULL
           AND (x.is_open OR x.outcome = 'adjusted' AND x.id IN (SELECT id FROM standing))),
    looks AS MATERIALIZED (
        SELECT l.account, max(a.pos) AS pos
          FROM (SELECT f.account, f.act FROM paystream.settlement_file f WHERE f.merchant = of_merchant
                UNION ALL
                SELECT x.account, u.act FROM paystream.settlement_match x, LATERAL (VALUES (x.act), (x.ended_act)) AS u (act)
                 WHERE x.merchant = of_merchant
                UNION ALL
                SELECT x.account, u.act FROM items x, LATERAL (VALUES (x.act), (x.ended_act)) AS u (act)) l
          JOIN acts a ON a.id = l.act
         WHERE a.what IN ('import', 'review', 'link')
         GROUP BY l.account),
    -- By the row in which the movement began.
    changes AS MATERIALIZED (
        SELECT b.stream, b.version, b.number, sum(v.amount) AS amount
          FROM looks k
          JOIN paystream.movement v ON v.merchant = of_merchant AND v.account = k.account AND v.pos > k.pos AND v.pos <= as_of
          CROSS JOIN LATERAL (
              SELECT x.stream, x.version, x.number FROM paystream.movement x
               WHERE x.merchant = v.merchant AND x.stream = v.stream AND x.kind = v.kind AND x.items = 1
                 AND x.part IS NOT DISTINCT FROM v.part AND x.provider_reference IS NOT DISTINCT FROM v.provider_reference
               ORDER BY x.version, x.number LIMIT 1) b
         WHERE v.kind IN ('captured', 'refunded', 'refundReversed', 'disputed', 'disputeWon')
           AND (b.version, b.number) <> (v.version, v.number)
         GROUP BY b.stream, b.version, b.number),
    parts (at, provider, account, mode, currency, gross, net, fees, open, disputed, timing) AS (
        -- What our books have.
        SELECT m.at, m.provider, m.account_name, m.account_mode, m.currency,
               CASE WHEN m.kind IN ('captured', 'refunded', 'refundReversed') THEN m.side * m.amount ELSE 0 END::numeric, 0::numeric,
               0::numeric, 0::numeric,
               CASE m.kind WHEN 'disputed' THEN m.amount WHEN 'disputeWon' THEN -m.amount ELSE 0 END::numeric,
               CASE WHEN e.stream IS NULL THEN m.side * m.amount ELSE m.side * coalesce(h.amount, 0) END::numeric
          FROM moves m
          LEFT JOIN held e ON e.stream = m.stream AND e.version = m.version AND e.number = m.number
          LEFT JOIN changes h ON h.stream = m.stream AND h.version = m.version AND h.number = m.number
        UNION ALL
        SELECT e.effective_at, c.provider, c.name, c.mode, e.currency, e.amount, 0, 0, 0, 0, 0
          FROM paystream.settlement_entry e
          JOIN paystream.settlement_account c ON c.merchant = e.merchant AND c.account = e.account
         WHERE e.merchant = of_merchant AND e.kind = 'adjustment' AND e.act IN (SELECT id FROM acts)
           AND (of_mode IS NULL OR c.mode = of_mode)
        UNION ALL
        -- What files say.
        SELECT coalesce(m.at, l.at), c.provider, c.name, c.mode, l.currency, 0,
               CASE WHEN l.kind IN ('payout', 'reserveHeld', 'reserveReturned') THEN 0 ELSE l.side * l.amount::numeric END - l.fee,
               CASE l.kind WHEN 'fee' THEN l.amount ELSE 0 END::numeric + l.fee, 0, 0, 0
          FROM paystream.settlement_file f
          JOIN paystream.settlement_account c ON c.merchant = f.merchant AND c.account = f.account
          JOIN paystream.settlement_line l ON l.merchant = f.merchant AND l.file = f.id
          LEFT JOIN matches x ON x.file = l.file AND x.line = l.number
          LEFT JOIN moves m ON m.stream = x.stream AND m.version = x.version AND m.number = x.number
         WHERE f.merchant = of_merchant AND f.act IN (SELECT id FROM acts) AND (of_mode IS NULL OR c.mode = of_mode)
           AND NOT EXISTS (SELECT FROM paystream.settlement_withdrawal w
                            WHERE w.merchant = l.merchant AND w.file = l.file AND w.line = l.number AND w.act IN (SELECT id FROM acts))
        UNION ALL
        -- What does not fit yet.
        SELECT x.at, c.provider, c.name, c.mode, x.currency, 0, 0, 0, CASE x.class WHEN 'timing' THEN 0 ELSE x.amount END::numeric, 0,
               CASE x.class WHEN 'timing' THEN x.amount ELSE 0 END::numeric
          FROM items x
          JOIN paystream.settlement_account c ON c.merchant = x.merchant AND c.account = x.account
          LEFT JOIN paystream.settlement_line l ON l.merchant = x.merchant AND l.file = x.file AND l.number = x.line
         WHERE x.is_open AND x.class <> 'fee' AND (of_mode IS NULL OR c.mode = of_mode)
           AND coalesce(l.kind NOT IN ('payout', 'reserveHeld', 'reserveReturned', 'fee'), true))
    SELECT (p.at AT TIME ZONE named)::date, p.provider, p.account, p.mode, p.currency, sum(p.gross), sum(p.net), sum(p.fees), sum(p.open),
           sum(p.disputed), sum(p.timing), sum(p.gross - p.net - p.fees - p.open - p.disputed - p.timing)
      FROM parts p
     WHERE (first_day IS NULL OR p.at >= first_day::timestamp AT TIME ZONE named)
       AND (end_day IS NULL OR p.at < end_day::timestamp AT TIME ZONE named)
     GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5;
END
$$;
