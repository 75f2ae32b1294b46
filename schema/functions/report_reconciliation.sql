-- The report 'reconciliation': conservation, day by day. What our books say that payers' money came to is what files say, with what is
-- kept, open, in dispute and on its way; each figure is summed by itself, and `difference` is what would be lost between them. Days are the
-- provider's: a line's is that of its movement. What evidence changed since an account was looked at last is on its way, too: `looks` is where
-- that was, where somebody has gathered it already (`settlement_looks`).
--
-- A window of days reads its own movements, lines and exceptions and what they name, each by a key: the planner takes what is gathered for a
-- few rows, and would go through all of a book for each of them.
CREATE OR REPLACE FUNCTION paystream.report_reconciliation(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false, looks json DEFAULT NULL)
RETURNS TABLE (day date, provider text, account text, mode text, currency text, gross numeric, net numeric, fees numeric, open numeric,
    disputed numeric, timing numeric, difference numeric)
LANGUAGE plpgsql STABLE SET enable_nestloop = off SET jit = off AS $$
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, report_reconciliation.zone);
    begins CONSTANT timestamptz := coalesce(paystream.day_begins(first_day, named), '-infinity');
    ends CONSTANT timestamptz := coalesce(paystream.day_begins(end_day, named), 'infinity');
BEGIN
    RETURN QUERY
    WITH looked AS MATERIALIZED (
        SELECT k.account, k.pos
          FROM json_to_recordset(coalesce(report_reconciliation.looks, paystream.settlement_looks(of_merchant, as_of))) AS k (account uuid, pos bigint)),
    moves AS MATERIALIZED (
        SELECT s.stream, s.version, s.number, s.kind, s.side, s.amount, s.currency, s.at, v.provider, v.account_name, v.account_mode, v.part,
               s.provider_reference, s.account, x.file, x.line, k.pos AS looked
          FROM paystream.settleable(of_merchant, as_of) s
          CROSS JOIN LATERAL (
              SELECT w.provider, w.account_name, w.account_mode, w.part FROM paystream.movement w
               WHERE w.merchant = of_merchant AND w.stream = s.stream AND w.version = s.version AND w.number = s.number OFFSET 0) v
          LEFT JOIN LATERAL paystream.settlement_match_at(of_merchant, as_of, s.stream, s.version, s.number) x ON true
          LEFT JOIN looked k ON k.account = s.account
         WHERE s.at >= begins AND s.at < ends AND (of_mode IS NULL OR v.account_mode = of_mode)),
    parts (at, provider, account, mode, currency, gross, net, fees, open, disputed, timing) AS (
        -- What our books have: what no line and no exception tells of is on its way, and of the rest what changed since.
        SELECT m.at, m.provider, m.account_name, m.account_mode, m.currency,
               CASE WHEN m.kind IN ('captured', 'refunded', 'refundReversed') THEN m.side * m.amount ELSE 0 END::numeric, 0::numeric,
               0::numeric, 0::numeric,
               CASE m.kind WHEN 'disputed' THEN m.amount WHEN 'disputeWon' THEN -m.amount ELSE 0 END::numeric,
               CASE WHEN m.file IS NULL AND NOT paystream.settlement_told(of_merchant, as_of, m.stream, m.version, m.number) THEN m.side * m.amount
                    WHEN m.looked IS NULL OR m.kind = 'disputeLost' THEN 0
                    ELSE m.side * coalesce((
                        SELECT sum(v.amount) FROM paystream.movement v
                         WHERE v.merchant = of_merchant AND v.stream = m.stream AND v.kind = m.kind AND v.account = m.account
                           AND v.part IS NOT DISTINCT FROM m.part AND v.provider_reference IS NOT DISTINCT FROM m.provider_reference
                           AND v.pos > m.looked AND v.pos <= as_of
                           AND (v.version, v.number) <> (m.version, m.number)), 0) END::numeric
          FROM moves m
        UNION ALL
        SELECT e.effective_at, c.provider, c.name, c.mode, e.currency, e.amount, 0, 0, 0, 0, 0
          FROM paystream.settlement_entry e
          JOIN paystream.settlement_account c ON c.merchant = e.merchant AND c.account = e.account
         WHERE e.merchant = of_merchant AND e.kind = 'adjustment' AND e.effective_at >= begins AND e.effective_at < ends
           AND (SELECT a.pos FROM paystream.settlement_act a WHERE a.merchant = of_merchant AND a.id = e.act) <= as_of
           AND (of_mode IS NULL OR c.mode = of_mode)
        UNION ALL
        -- What files say: of these movements, and on lines that are about none.
        SELECT n.at, c.provider, c.name, c.mode, n.currency, 0,
               CASE WHEN n.kind IN ('payout', 'reserveHeld', 'reserveReturned') THEN 0 ELSE n.side * n.amount::numeric END - n.fee,
               CASE n.kind WHEN 'fee' THEN n.amount ELSE 0 END::numeric + n.fee, 0, 0, 0
          FROM (SELECT m.at, f.account, l.kind, l.side, l.amount, l.fee, l.currency, l.file, l.number
                  FROM moves m
                  CROSS JOIN LATERAL (
                      SELECT o.* FROM paystream.settlement_line o
                       WHERE o.merchant = of_merchant AND o.file = m.file AND o.number = m.line OFFSET 0) l
                  JOIN paystream.settlement_file f ON f.merchant = of_merchant AND f.id = m.file
                UNION ALL
                SELECT r.at, r.account, r.kind, r.side, r.amount, r.fee, r.currency, r.file, r.number
                  FROM (SELECT l.at, f.account, l.kind, l.side, l.amount, l.fee, l.currency, l.file, l.number
                          FROM paystream.settlement_file f
                          CROSS JOIN LATERAL (
                              SELECT o.* FROM paystream.settlement_line o
                               WHERE o.merchant = of_merchant AND o.file = f.id AND o.at >= begins AND o.at < ends OFFSET 0) l
                         -- A file's lines are of its period.
                         WHERE f.merchant = of_merchant AND f.begins_at < ends AND f.ends_at > begins
                           AND (SELECT a.pos FROM paystream.settlement_act a WHERE a.merchant = of_merchant AND a.id = f.act) <= as_of
                           AND NOT EXISTS (SELECT FROM moves m WHERE m.file = l.file AND m.line = l.number) OFFSET 0) r
                 -- Of another day, or of none.
                 WHERE NOT paystream.settlement_moves(of_merchant, as_of, r.file, r.number)) n
          JOIN paystream.settlement_account c ON c.merchant = of_merchant AND c.account = n.account
         WHERE (of_mode IS NULL OR c.mode = of_mode)
           AND coalesce((SELECT a.pos > as_of FROM paystream.settlement_withdrawal w
                           JOIN paystream.settlement_act a ON a.merchant = w.merchant AND a.id = w.act
                          WHERE w.merchant = of_merchant AND w.file = n.file AND w.line = n.number), true)
        UNION ALL
        -- What does not fit yet.
        SELECT x.at, c.provider, c.name, c.mode, x.currency, 0, 0, 0, CASE x.class WHEN 'timing' THEN 0 ELSE x.amount END::numeric, 0,
               CASE x.class WHEN 'timing' THEN x.amount ELSE 0 END::numeric
          FROM paystream.settlement_exception x
          JOIN paystream.settlement_account c ON c.merchant = x.merchant AND c.account = x.account
         WHERE x.merchant = of_merchant AND x.at >= begins AND x.at < ends AND x.class <> 'fee' AND (of_mode IS NULL OR c.mode = of_mode)
           AND (SELECT a.pos FROM paystream.settlement_act a WHERE a.merchant = of_merchant AND a.id = x.act) <= as_of
           AND coalesce((SELECT a.pos FROM paystream.settlement_act a WHERE a.merchant = of_merchant AND a.id = x.ended_act) > as_of, true)
           AND coalesce((SELECT l.kind NOT IN ('payout', 'reserveHeld', 'reserveReturned', 'fee') FROM paystream.settlement_line l
                          WHERE l.merchant = of_merchant AND l.file = x.file AND l.number = x.line), true))
    SELECT (p.at AT TIME ZONE named)::date, p.provider, p.account, p.mode, p.currency, sum(p.gross), sum(p.net), sum(p.fees), sum(p.open),
           sum(p.disputed), sum(p.timing), sum(p.gross - p.net - p.fees - p.open - p.disputed - p.timing)
      FROM parts p
     GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5;
END
$$;
