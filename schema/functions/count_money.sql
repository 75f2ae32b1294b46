-- Keeps the sums of money that moved beside movements and the acts of settlement that booked some, of the kinds that make the turnover.
CREATE OR REPLACE FUNCTION paystream.count_money() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        DELETE FROM paystream.money_count WHERE is_movement;
    ELSIF TG_TABLE_NAME = 'settlement_act' THEN
        INSERT INTO paystream.money_count AS c
        SELECT e.merchant, date_bin('15 minutes', a.at, '2000-01-01 00:00Z'), false, e.account, s.mode, e.kind, e.currency, sum(e.amount)
          FROM came a
          JOIN paystream.settlement_entry e ON e.merchant = a.merchant AND e.act = a.id
          JOIN paystream.settlement_account s ON s.merchant = e.merchant AND s.account = e.account
         WHERE e.kind IN ('captured', 'refunded', 'refundReversed', 'disputeLost', 'fee')
         GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
        ON CONFLICT (merchant, at, is_movement, account, account_mode, kind, currency) DO UPDATE SET amount = c.amount + EXCLUDED.amount;
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO paystream.money_count AS c
        SELECT m.merchant, date_bin('15 minutes', m.known_at, '2000-01-01 00:00Z'), true, m.account, m.account_mode, m.kind, m.currency, sum(m.amount)
          FROM came m
         WHERE m.kind IN ('captured', 'refunded', 'refundReversed', 'disputeLost', 'fee')
         GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
        ON CONFLICT (merchant, at, is_movement, account, account_mode, kind, currency) DO UPDATE SET amount = c.amount + EXCLUDED.amount;
    ELSE
        INSERT INTO paystream.money_count AS c
        SELECT m.merchant, date_bin('15 minutes', m.known_at, '2000-01-01 00:00Z'), true, m.account, m.account_mode, m.kind, m.currency, -sum(m.amount)
          FROM gone m
         WHERE m.kind IN ('captured', 'refunded', 'refundReversed', 'disputeLost', 'fee')
         GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
        ON CONFLICT (merchant, at, is_movement, account, account_mode, kind, currency) DO UPDATE SET amount = c.amount + EXCLUDED.amount;
    END IF;
    RETURN NULL;
END
$$;
