-- Keeps the counts of the payment view beside its rows: what a statement adds, changes or takes away is counted with it, whoever sends it.
CREATE OR REPLACE FUNCTION paystream.count_payments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        DELETE FROM paystream.payment_count;
        RETURN NULL;
    END IF;
    IF TG_OP = 'INSERT' THEN
        INSERT INTO paystream.payment_count AS c
        SELECT v.merchant, date_bin('15 minutes', v.created_at, '2000-01-01 00:00Z'), v.account_mode, v.provider,
               coalesce(v.document -> 'account' ->> 'name', ''), coalesce(v.currency, ''), v.status,
               CASE v.status WHEN 'failed' THEN coalesce(v.document -> 'decline' ->> 'class', 'unknown') ELSE '' END,
               count(*), coalesce(sum(v.amount), 0)
          FROM came v
         GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
        ON CONFLICT (merchant, at, account_mode, provider, account_name, currency, status, decline_class) DO UPDATE
           SET payments = c.payments + EXCLUDED.payments, amount = c.amount + EXCLUDED.amount;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO paystream.payment_count AS c
        SELECT v.merchant, date_bin('15 minutes', v.created_at, '2000-01-01 00:00Z'), v.account_mode, v.provider,
               coalesce(v.document -> 'account' ->> 'name', ''), coalesce(v.currency, ''), v.status,
               CASE v.status WHEN 'failed' THEN coalesce(v.document -> 'decline' ->> 'class', 'unknown') ELSE '' END,
               -count(*), -coalesce(sum(v.amount), 0)
          FROM gone v
         GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
        ON CONFLICT (merchant, at, account_mode, provider, account_name, currency, status, decline_class) DO UPDATE
           SET payments = c.payments + EXCLUDED.payments, amount = c.amount + EXCLUDED.amount;
    ELSE
        -- Most changes of a payment change nothing that is counted.
        INSERT INTO paystream.payment_count AS c
        SELECT v.merchant, date_bin('15 minutes', v.created_at, '2000-01-01 00:00Z'), v.account_mode, v.provider,
               coalesce(v.document -> 'account' ->> 'name', ''), coalesce(v.currency, ''), v.status,
               CASE v.status WHEN 'failed' THEN coalesce(v.document -> 'decline' ->> 'class', 'unknown') ELSE '' END,
               sum(v.sign)::bigint, coalesce(sum(v.sign * v.amount::numeric), 0)
          FROM (SELECT 1 AS sign, n.merchant, n.created_at, n.account_mode, n.provider, n.document, n.currency, n.status, n.amount FROM came n
                 UNION ALL
                SELECT -1, o.merchant, o.created_at, o.account_mode, o.provider, o.document, o.currency, o.status, o.amount FROM gone o) v
         GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
        HAVING sum(v.sign) <> 0 OR coalesce(sum(v.sign * v.amount::numeric), 0) <> 0
         ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
        ON CONFLICT (merchant, at, account_mode, provider, account_name, currency, status, decline_class) DO UPDATE
           SET payments = c.payments + EXCLUDED.payments, amount = c.amount + EXCLUDED.amount;
    END IF;
    RETURN NULL;
END
$$;
