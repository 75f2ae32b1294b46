-- Looks again at an account: ends exceptions that evidence or a later file settled, opens those of amounts, fees and movements that no line
-- tells of. `from_moment` is since when movements are looked at, `through` until when files were brought: what is older than `overdue` is
-- missing there, and anything younger is a matter of timing.
CREATE OR REPLACE FUNCTION paystream.settlement_review(
    of_merchant int, of_account uuid, of_act uuid, from_moment timestamptz, through timestamptz, overdue timestamptz,
    of_moment timestamptz)
RETURNS void LANGUAGE plpgsql VOLATILE SET jit = off AS $$
BEGIN
    -- 1. What found its other side; what was adjusted because it had none is taken back.
    IF EXISTS (SELECT FROM paystream.settlement_exception x
                WHERE x.merchant = of_merchant AND x.account = of_account AND x.outcome = 'adjusted') THEN
        INSERT INTO paystream.settlement_entry (merchant, account, kind, amount, currency, effective_at, act, file, line, exception, stream,
            stream_kind)
        SELECT of_merchant, of_account, e.kind, -sum(e.amount), e.currency, min(e.effective_at), of_act, e.file, e.line, e.exception,
               e.stream, e.stream_kind
          FROM paystream.settlement_match y
          CROSS JOIN LATERAL (
              SELECT x.id FROM paystream.settlement_exception x
               WHERE x.merchant = of_merchant AND x.stream = y.stream AND x.version = y.version AND x.number = y.number AND x.file IS NULL
                 AND x.outcome = 'adjusted'
              UNION ALL
              SELECT x.id FROM paystream.settlement_exception x
               WHERE x.merchant = of_merchant AND x.file = y.file AND x.line = y.line AND x.class IN ('missingHere', 'duplicate', 'currency')
                 AND x.outcome = 'adjusted') x
          JOIN paystream.settlement_entry e ON e.merchant = of_merchant AND e.exception = x.id
         WHERE y.merchant = of_merchant AND y.act = of_act AND y.ended_act IS NULL
         GROUP BY e.kind, e.currency, e.file, e.line, e.exception, e.stream, e.stream_kind HAVING sum(e.amount) <> 0;
    END IF;
    UPDATE paystream.settlement_exception x SET ended_act = of_act, outcome = 'matched'
     WHERE x.merchant = of_merchant AND x.account = of_account AND x.ended_act IS NULL AND x.file IS NOT NULL
       AND x.class IN ('missingHere', 'duplicate', 'currency')
       AND EXISTS (SELECT FROM paystream.settlement_match y
                    WHERE y.merchant = x.merchant AND y.file = x.file AND y.line = x.line AND y.ended_act IS NULL);
    UPDATE paystream.settlement_exception x SET ended_act = of_act, outcome = 'matched'
     WHERE x.merchant = of_merchant AND x.account = of_account AND x.ended_act IS NULL AND x.file IS NULL
       AND x.class IN ('missingThere', 'timing', 'currency')
       AND EXISTS (SELECT FROM paystream.settlement_match y
                    WHERE y.merchant = x.merchant AND y.stream = x.stream AND y.version = x.version AND y.number = x.number
                      AND y.ended_act IS NULL);
    -- 2. Amounts: evidence may have changed what a movement comes to.
    WITH asked AS MATERIALIZED (
        SELECT z.stream FROM paystream.settlement_match z WHERE z.merchant = of_merchant AND z.act = of_act AND z.differs
        UNION
        SELECT x.stream FROM paystream.settlement_exception x
         WHERE x.merchant = of_merchant AND x.account = of_account AND x.class = 'amount' AND x.ended_act IS NULL
        UNION
        SELECT v.stream FROM paystream.movement v
         WHERE v.merchant = of_merchant AND v.account = of_account AND v.items <> 1 AND v.known_at >= of_moment - interval '35 days'),
    now AS MATERIALIZED (
        SELECT y.file, y.line, m.stream, m.version, m.number, m.currency, m.at,
               -- Without what two persons adjusted.
               m.side * (m.amount - l.amount) - coalesce((
                   SELECT sum(x.amount) FROM paystream.settlement_exception x
                    WHERE x.merchant = of_merchant AND x.file = y.file AND x.line = y.line AND x.class = 'amount'
                      AND x.outcome = 'adjusted' AND paystream.settlement_stands(of_merchant, x.id)), 0)::bigint AS rest
          FROM asked a
          JOIN paystream.settlement_match y ON y.merchant = of_merchant AND y.stream = a.stream AND y.ended_act IS NULL
          JOIN paystream.settlement_line l ON l.merchant = y.merchant AND l.file = y.file AND l.number = y.line
          JOIN paystream.settleable(of_merchant) m ON m.stream = y.stream AND m.version = y.version AND m.number = y.number
         WHERE y.account = of_account),
    ended AS (
        UPDATE paystream.settlement_exception x SET ended_act = of_act, outcome = 'agreed'
          FROM now n
         WHERE x.merchant = of_merchant AND x.class = 'amount' AND x.ended_act IS NULL AND x.file = n.file AND x.line = n.line
           AND x.amount <> n.rest
        RETURNING x.file)
    INSERT INTO paystream.settlement_exception (merchant, id, account, class, file, line, stream, version, number, amount, currency, at,
        since, act)
    SELECT of_merchant, gen_random_uuid(), of_account, 'amount', n.file, n.line, n.stream, n.version, n.number, n.rest, n.currency, n.at,
           of_moment, of_act
      FROM now n
      -- Before a new one opens, the one of before ends: a line has one open exception of a class.
      CROSS JOIN (SELECT count(*) FROM ended) first
     WHERE n.rest <> 0
       AND NOT EXISTS (SELECT FROM paystream.settlement_exception x
                        WHERE x.merchant = of_merchant AND x.file = n.file AND x.line = n.line AND x.class = 'amount'
                          AND x.amount = n.rest AND x.ended_act IS NULL);
    -- 3. Fees: of a payment's matched lines together, where our books have a fee of it that its provider told, or a tariff says it.
    WITH told AS MATERIALIZED (
        SELECT t.stream, t.currency, t.fees - t.ours - coalesce((
                   SELECT sum(x.amount) FROM paystream.settlement_exception x
                    WHERE x.merchant = of_merchant AND x.stream = t.stream AND x.class = 'fee' AND x.currency = t.currency
                      AND x.outcome = 'adjusted' AND paystream.settlement_stands(of_merchant, x.id)), 0) AS rest,
               t.file, t.line, t.version, t.number, t.at FROM (
            SELECT y.stream, l.currency, sum(l.fee) AS fees, min(l.at) AS at,
                   -- Of its earliest line.
                   (array_agg(y.file ORDER BY l.at, y.file, y.line))[1] AS file,
                   (array_agg(y.line ORDER BY l.at, y.file, y.line))[1] AS line,
                   (array_agg(y.version ORDER BY l.at, y.file, y.line))[1] AS version,
                   (array_agg(y.number ORDER BY l.at, y.file, y.line))[1] AS number,
                   coalesce((SELECT sum(f.amount) FROM paystream.movement f
                              WHERE f.merchant = of_merchant AND f.stream = y.stream AND f.account = of_account AND f.kind = 'fee'
                                AND f.currency = l.currency),
                            CASE WHEN count(l.expected_fee) > 0 THEN sum(coalesce(l.expected_fee, l.fee)) END) AS ours
              FROM (
                   SELECT z.stream FROM paystream.settlement_match z
                     JOIN paystream.settlement_line n ON n.merchant = z.merchant AND n.file = z.file AND n.number = z.line
                    WHERE z.merchant = of_merchant AND z.act = of_act AND n.expected_fee IS NOT NULL
                   UNION
                   SELECT z.stream FROM paystream.settlement_match z
                    WHERE z.merchant = of_merchant AND z.act = of_act AND EXISTS (
                          SELECT FROM paystream.movement f WHERE f.merchant = of_merchant AND f.stream = z.stream AND f.kind = 'fee')
                   UNION
                   -- A fee of another file's that was taken back.
                   SELECT e.stream FROM paystream.settlement_entry e
                    WHERE e.merchant = of_merchant AND e.act = of_act AND e.kind = 'fee' AND e.file IS DISTINCT FROM of_act
                   UNION
                   SELECT x.stream FROM paystream.settlement_exception x
                    WHERE x.merchant = of_merchant AND x.account = of_account AND x.class = 'fee' AND x.ended_act IS NULL) a
              JOIN paystream.settlement_match y ON y.merchant = of_merchant AND y.stream = a.stream AND y.ended_act IS NULL
              JOIN paystream.settlement_line l ON l.merchant = y.merchant AND l.file = y.file AND l.number = y.line
             WHERE y.account = of_account
             GROUP BY y.stream, l.currency) t),
    ended AS (
        UPDATE paystream.settlement_exception x SET ended_act = of_act, outcome = 'agreed'
          FROM told t
         WHERE x.merchant = of_merchant AND x.class = 'fee' AND x.ended_act IS NULL AND x.stream = t.stream AND x.currency = t.currency
           -- Nothing says any longer what it should be, or something else.
           AND x.amount IS DISTINCT FROM t.rest
        RETURNING x.file)
    INSERT INTO paystream.settlement_exception (merchant, id, account, class, file, line, stream, version, number, amount, currency, at,
        since, act)
    SELECT of_merchant, gen_random_uuid(), of_account, 'fee', t.file, t.line, t.stream, t.version, t.number, t.rest, t.currency, t.at,
           of_moment, of_act
      FROM told t
      CROSS JOIN (SELECT count(*) FROM ended) first
     WHERE t.rest <> 0
       AND NOT EXISTS (SELECT FROM paystream.settlement_exception x
                        WHERE x.merchant = of_merchant AND x.stream = t.stream AND x.class = 'fee' AND x.currency = t.currency
                          AND x.amount = t.rest AND x.ended_act IS NULL);
    -- 4. Movements that no line tells of: those that evidence changed, and those that nobody looked at.
    PERFORM paystream.settlement_changed(of_merchant, of_account, of_act, of_moment);
    INSERT INTO paystream.settlement_exception (merchant, id, account, class, stream, version, number, amount, currency, at, since, act)
    SELECT of_merchant, gen_random_uuid(), of_account,
           CASE WHEN m.at < overdue THEN 'missingThere' ELSE 'timing' END,
           m.stream, m.version, m.number, m.side * m.amount, m.currency, m.at, of_moment, of_act
      -- What a movement comes to is asked of those alone that nothing tells of. What lost its line is one of them, whenever it was.
      FROM (SELECT v.stream, v.version, v.number
              FROM (SELECT o.stream, o.version, o.number FROM paystream.movement o
                     WHERE o.merchant = of_merchant AND o.account = of_account AND o.items = 1 AND o.effective_at >= from_moment
                       AND o.effective_at < through AND o.kind IN ('captured', 'refunded', 'refundReversed', 'disputed', 'disputeWon')
                    UNION
                    SELECT y.stream, y.version, y.number FROM paystream.settlement_match y
                     WHERE y.merchant = of_merchant AND y.account = of_account AND y.ended_act = of_act) v
             WHERE NOT EXISTS (SELECT FROM paystream.settlement_match y
                                WHERE y.merchant = of_merchant AND y.stream = v.stream AND y.version = v.version AND y.number = v.number
                                  AND y.ended_act IS NULL)
               AND NOT EXISTS (SELECT FROM paystream.settlement_exception x
                                WHERE x.merchant = of_merchant AND x.stream = v.stream AND x.version = v.version AND x.number = v.number
                                  AND x.file IS NULL AND (x.ended_act IS NULL
                                      OR x.outcome = 'adjusted' AND paystream.settlement_stands(of_merchant, x.id)))
            OFFSET 0) u
      CROSS JOIN LATERAL (
          SELECT s.* FROM paystream.settleable(of_merchant) s
           WHERE s.stream = u.stream AND s.version = u.version AND s.number = u.number OFFSET 0) m
     WHERE m.amount > 0 AND m.side <> 0;
    -- 5. Time is up.
    WITH late AS (
        UPDATE paystream.settlement_exception x SET ended_act = of_act, outcome = 'overdue'
         WHERE x.merchant = of_merchant AND x.account = of_account AND x.ended_act IS NULL AND x.class = 'timing'
           AND x.at < overdue
        RETURNING x.*)
    INSERT INTO paystream.settlement_exception (merchant, id, account, class, stream, version, number, amount, currency, at, since, owner,
        act)
    SELECT of_merchant, gen_random_uuid(), of_account, 'missingThere', l.stream, l.version, l.number, l.amount, l.currency, l.at, l.since,
           l.owner, of_act
      FROM late l;
END
$$;
