-- Looks again at movements that no line tells of and that evidence changed: an exception says what there is now, and what two persons
-- adjusted for something else is taken back. What was named anew goes on under its new name, with its age and its owner.
CREATE OR REPLACE FUNCTION paystream.settlement_changed(of_merchant int, of_account uuid, of_act uuid, of_moment timestamptz) RETURNS void
LANGUAGE plpgsql VOLATILE SET jit = off AS $$
DECLARE
    held record;
    there record;
BEGIN
    FOR held IN
        SELECT x.id, x.class, x.stream, x.version, x.number, x.since, x.owner, x.ended_act IS NULL AS is_open, abs(x.amount) AS before,
               m.side, m.amount, m.currency, m.at
          FROM (SELECT DISTINCT v.stream FROM paystream.movement v
                 WHERE v.merchant = of_merchant AND v.account = of_account AND v.items <> 1
                   AND v.known_at >= of_moment - interval '35 days') a
          JOIN paystream.settlement_exception x ON x.merchant = of_merchant AND x.stream = a.stream AND x.file IS NULL
          JOIN paystream.settleable(of_merchant) m ON m.stream = x.stream AND m.version = x.version AND m.number = x.number
         WHERE x.account = of_account AND m.side * m.amount <> x.amount
           AND (x.ended_act IS NULL OR x.outcome = 'adjusted' AND paystream.settlement_stands(of_merchant, x.id))
         ORDER BY x.since, x.id
    LOOP
        IF held.is_open THEN
            UPDATE paystream.settlement_exception x SET ended_act = of_act, outcome = 'agreed'
             WHERE x.merchant = of_merchant AND x.id = held.id;
        ELSE
            INSERT INTO paystream.settlement_entry (merchant, account, kind, amount, currency, effective_at, act, file, line, exception,
                stream, stream_kind)
            SELECT of_merchant, of_account, e.kind, -sum(e.amount), e.currency, min(e.effective_at), of_act, e.file, e.line, e.exception,
                   e.stream, e.stream_kind
              FROM paystream.settlement_entry e WHERE e.merchant = of_merchant AND e.exception = held.id
             GROUP BY e.kind, e.currency, e.file, e.line, e.exception, e.stream, e.stream_kind HAVING sum(e.amount) <> 0;
        END IF;
        SELECT h.* INTO there FROM (
            SELECT held.version, held.number, held.side, held.amount, held.currency, held.at WHERE held.amount > 0
            UNION ALL
            SELECT h.* FROM paystream.settlement_heir(of_merchant, held.stream, held.version, held.number, NULL, held.before) h
             WHERE held.amount <= 0) h;
        CONTINUE WHEN NOT FOUND;
        INSERT INTO paystream.settlement_exception (merchant, id, account, class, stream, version, number, amount, currency, at, since,
            owner, act)
        SELECT of_merchant, gen_random_uuid(), of_account, held.class, held.stream, there.version, there.number, there.side * there.amount,
               there.currency, there.at, CASE WHEN held.is_open THEN held.since ELSE of_moment END,
               CASE WHEN held.is_open THEN held.owner END, of_act
         WHERE NOT EXISTS (
            SELECT FROM paystream.settlement_exception x
             WHERE x.merchant = of_merchant AND x.stream = held.stream AND x.version = there.version AND x.number = there.number
               AND x.file IS NULL AND x.ended_act IS NULL);
    END LOOP;
END
$$;
