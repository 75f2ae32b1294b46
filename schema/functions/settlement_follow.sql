-- Lets matches follow the money. Evidence may name anew what moved: what two persons or a running total showed is seen under the provider's
-- own name, the movement of before comes to nothing, and its line is about the one that took its place. A line that names a movement by
-- the provider's name of it stays there.
CREATE OR REPLACE FUNCTION paystream.settlement_follow(of_merchant int, of_account uuid, of_act uuid) RETURNS void
LANGUAGE plpgsql VOLATILE SET jit = off AS $$
DECLARE
    gone record;
    heir record;
BEGIN
    FOR gone IN
        SELECT y.file, y.line, y.stream, y.version, y.number, y.how, y.differs, l.amount, l.provider_reference AS name
          FROM (SELECT v.stream FROM paystream.movement v
                 WHERE v.merchant = of_merchant AND v.account = of_account AND v.items = -1
                   AND v.known_at >= statement_timestamp() - interval '35 days'
                UNION
                SELECT x.stream FROM paystream.settlement_exception x
                 WHERE x.merchant = of_merchant AND x.account = of_account AND x.class = 'amount' AND x.ended_act IS NULL) a
          JOIN paystream.settlement_match y ON y.merchant = of_merchant AND y.stream = a.stream AND y.ended_act IS NULL
          JOIN paystream.settlement_line l ON l.merchant = y.merchant AND l.file = y.file AND l.number = y.line
          JOIN paystream.settleable(of_merchant) m ON m.stream = y.stream AND m.version = y.version AND m.number = y.number
         WHERE y.account = of_account AND m.amount <= 0
           AND (m.provider_reference IS NULL OR m.provider_reference IS DISTINCT FROM l.provider_reference)
         ORDER BY y.stream, y.file, y.line
    LOOP
        SELECT h.* INTO heir
          FROM paystream.settlement_heir(of_merchant, gone.stream, gone.version, gone.number, gone.name, gone.amount) h;
        CONTINUE WHEN NOT FOUND;
        UPDATE paystream.settlement_match y SET ended_act = of_act
         WHERE y.merchant = of_merchant AND y.file = gone.file AND y.line = gone.line AND y.ended_act IS NULL;
        INSERT INTO paystream.settlement_match (merchant, account, file, line, stream, version, number, how, differs, act)
        VALUES (of_merchant, of_account, gone.file, gone.line, gone.stream, heir.version, heir.number, gone.how,
            gone.differs OR heir.amount <> gone.amount, of_act);
    END LOOP;
END
$$;
