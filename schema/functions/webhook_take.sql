-- Takes what is due for endpoints that the claimer holds, `p_room` deliveries of each at most.
--
-- What is taken is due again behind `hold_us`: a node that dies with it loses nothing.
CREATE OR REPLACE FUNCTION paystream.webhook_take(
    claimer text, hold_us bigint, p_merchant int[], p_endpoint uuid[], p_ordered boolean[], p_room int[])
RETURNS TABLE (merchant int, endpoint uuid, "position" bigint, number smallint, stream uuid, version int, attempts int, earlier int,
               begun_at timestamptz, body bytea)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    one record;
BEGIN
    SET LOCAL synchronous_commit = off;
    FOR one IN
        SELECT u.m, u.e, u.o, u.r FROM unnest(p_merchant, p_endpoint, p_ordered, p_room) AS u (m, e, o, r) ORDER BY u.m, u.e
    LOOP
        PERFORM FROM paystream.webhook_cursor c
          WHERE c.merchant = one.m AND c.endpoint = one.e AND c.owner = claimer AND c.lease_until > statement_timestamp() FOR UPDATE;
        CONTINUE WHEN NOT FOUND OR one.r <= 0;
        RETURN QUERY
        WITH due AS (
            SELECT d.position AS p, d.number AS n FROM paystream.webhook_delivery d
             WHERE d.merchant = one.m AND d.endpoint = one.e AND d.state = 1 AND d.next_at <= statement_timestamp()
               AND NOT (one.o AND EXISTS (
                       SELECT FROM paystream.webhook_delivery x
                        WHERE x.merchant = one.m AND x.endpoint = one.e AND x.state = 1 AND x.stream = d.stream
                          AND (x.position, x.number) < (d.position, d.number)))
             ORDER BY d.next_at, d.position, d.number LIMIT one.r FOR UPDATE),
        taken AS (
            UPDATE paystream.webhook_delivery d
               SET next_at = statement_timestamp() + hold_us * interval '1 microsecond', is_running = true,
                   begun_at = coalesce(d.begun_at, statement_timestamp())
              FROM due
             WHERE d.merchant = one.m AND d.endpoint = one.e AND d.position = due.p AND d.number = due.n
            RETURNING d.*)
        SELECT t.merchant, t.endpoint, t.position, t.number, t.stream, t.version, t.attempts, t.earlier, t.begun_at,
               coalesce(t.body, (SELECT e.body FROM paystream.public_event e
                                  WHERE e.merchant = t.merchant AND e.position = t.position AND e.number = t.number))
          FROM taken t ORDER BY t.position, t.number;
    END LOOP;
END
$$;
