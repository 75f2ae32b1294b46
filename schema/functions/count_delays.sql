-- Keeps the counts of how long things took beside the facts that tell it: answers of providers, and payments' first money.
CREATE OR REPLACE FUNCTION paystream.count_delays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        DELETE FROM paystream.delay_count;
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO paystream.delay_count AS c
        SELECT f.merchant, date_bin('1 hour', f.known_at, '2000-01-01 00:00Z'), CASE f.kind WHEN 'answered' THEN 'answered' ELSE 'paid' END,
               f.account_mode, f.provider, paystream.delay_step(f.delay), count(*)
          FROM came f
         WHERE f.delay IS NOT NULL AND (f.kind = 'answered' OR f.kind = 'approved' AND f.is_payments_first)
         GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
        ON CONFLICT (merchant, kind, at, account_mode, provider, step) DO UPDATE SET cases = c.cases + EXCLUDED.cases;
    ELSE
        INSERT INTO paystream.delay_count AS c
        SELECT f.merchant, date_bin('1 hour', f.known_at, '2000-01-01 00:00Z'), CASE f.kind WHEN 'answered' THEN 'answered' ELSE 'paid' END,
               f.account_mode, f.provider, paystream.delay_step(f.delay), -count(*)
          FROM gone f
         WHERE f.delay IS NOT NULL AND (f.kind = 'answered' OR f.kind = 'approved' AND f.is_payments_first)
         GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
        ON CONFLICT (merchant, kind, at, account_mode, provider, step) DO UPDATE SET cases = c.cases + EXCLUDED.cases;
    END IF;
    RETURN NULL;
END
$$;
