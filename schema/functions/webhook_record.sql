-- Writes attempts down and what becomes of their deliveries. An attempt whose number was written already changes nothing: two nodes
-- sent the same.
--
-- `p_next_us` is how long the next attempt waits; NULL gives up. An endpoint that answers again is sent at once what waits for it. A test
-- event, whose position is negative, says nothing against an endpoint.
CREATE OR REPLACE FUNCTION paystream.webhook_record(
    p_merchant int[], p_endpoint uuid[], p_position bigint[], p_number smallint[], p_attempt int[], p_at timestamptz[],
    p_milliseconds int[], p_status smallint[], p_failure text[], p_answer bytea[], p_next_us bigint[])
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    one record;
BEGIN
    SET LOCAL synchronous_commit = off;
    WITH told AS (
        SELECT * FROM unnest(p_merchant, p_endpoint, p_position, p_number, p_attempt, p_at, p_milliseconds, p_status, p_failure, p_answer,
            p_next_us) AS u (m, e, p, n, a, at, ms, status, failure, answer, next_us)),
    changed AS (
        UPDATE paystream.webhook_delivery d
           SET attempts = t.a, is_running = false,
               state = CASE WHEN t.failure IS NULL THEN 2 WHEN t.next_us IS NULL THEN 3 ELSE 1 END,
               next_at = statement_timestamp() + coalesce(t.next_us, 0) * interval '1 microsecond',
               ended_at = CASE WHEN t.failure IS NULL OR t.next_us IS NULL THEN statement_timestamp() END
          FROM told t
         WHERE d.merchant = t.m AND d.endpoint = t.e AND d.position = t.p AND d.number = t.n AND d.attempts = t.a - 1
               AND d.state = 1
        RETURNING t.*)
    INSERT INTO paystream.webhook_attempt (merchant, endpoint, position, number, attempt, at, milliseconds, status, failure, answer)
    SELECT c.m, c.e, c.p, c.n, c.a, c.at, c.ms, c.status, c.failure, c.answer FROM changed c
    ON CONFLICT DO NOTHING;
    FOR one IN
        SELECT u.m, u.e, bool_or(u.failure IS NULL) AS is_well, min(u.at) AS since
          FROM unnest(p_merchant, p_endpoint, p_position, p_failure, p_at) AS u (m, e, p, failure, at)
         WHERE u.failure IS NULL OR u.p > 0 GROUP BY u.m, u.e ORDER BY u.m, u.e
    LOOP
        IF NOT one.is_well THEN
            UPDATE paystream.webhook_cursor c SET failing_since = one.since
             WHERE c.merchant = one.m AND c.endpoint = one.e AND c.failing_since IS NULL;
            CONTINUE;
        END IF;
        UPDATE paystream.webhook_cursor c SET failing_since = NULL
         WHERE c.merchant = one.m AND c.endpoint = one.e AND c.failing_since IS NOT NULL;
        CONTINUE WHEN NOT FOUND;
        -- What runs just now is not taken twice.
        UPDATE paystream.webhook_delivery d SET next_at = statement_timestamp()
         WHERE d.merchant = one.m AND d.endpoint = one.e AND d.state = 1 AND NOT d.is_running
           AND d.next_at > statement_timestamp();
    END LOOP;
END
$$;
