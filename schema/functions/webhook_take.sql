-- Writes down what the feed has for endpoints that the claimer holds, and takes what is due, `p_room` deliveries of each at most.
--
-- `p_types` holds the names of types with blanks between them, empty for all. What is taken is due again behind `hold_us`: a node that
-- dies with it loses nothing. Of an endpoint that has many waiting no more are written down: its place in the feed waits.
CREATE OR REPLACE FUNCTION paystream.webhook_take(
    claimer text, hold_us bigint, p_merchant int[], p_endpoint uuid[], p_types text[], p_ordered boolean[], p_room int[])
RETURNS TABLE (merchant int, endpoint uuid, "position" bigint, number smallint, stream uuid, version int, attempts int, earlier int,
               begun_at timestamptz, body bytea)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    one record;
    at record;
    most_waiting CONSTANT int := 2000;
    page_rows CONSTANT int := 500;
    behind_position bigint;
    behind_number smallint;
    -- What lies behind the feed's checkpoint may have holes yet.
    shown bigint := coalesce((SELECT c.pos FROM paystream.checkpoint c WHERE c.name = 'public_event'), 0);
BEGIN
    SET LOCAL synchronous_commit = off;
    FOR one IN
        SELECT u.m, u.e, string_to_array(u.t, ' ') AS types, u.o, u.r
          FROM unnest(p_merchant, p_endpoint, p_types, p_ordered, p_room) AS u (m, e, t, o, r)
         ORDER BY u.m, u.e
    LOOP
        SELECT c.position, c.number INTO at FROM paystream.webhook_cursor c
         WHERE c.merchant = one.m AND c.endpoint = one.e AND c.owner = claimer AND c.lease_until > statement_timestamp() FOR UPDATE;
        CONTINUE WHEN NOT FOUND;
        IF (SELECT count(*) FROM (
                SELECT FROM paystream.webhook_delivery d
                 WHERE d.merchant = one.m AND d.endpoint = one.e AND d.state = 1 LIMIT most_waiting) w) < most_waiting
        THEN
            WITH page AS MATERIALIZED (
                SELECT e.position AS p, e.number AS n, e.type AS t, e.stream AS s, e.version AS v FROM paystream.public_event e
                 WHERE e.merchant = one.m AND (e.position, e.number) > (at.position, at.number)
                   AND e.position <= shown
                 ORDER BY e.position, e.number LIMIT page_rows),
            written AS (
                INSERT INTO paystream.webhook_delivery
                    (merchant, endpoint, position, number, type, stream, version, state, created_at, next_at)
                SELECT one.m, one.e, page.p, page.n, page.t, page.s, page.v, 1, statement_timestamp(), statement_timestamp()
                  FROM page WHERE cardinality(one.types) = 0 OR page.t = ANY (one.types)
                ON CONFLICT DO NOTHING)
            SELECT page.p, page.n INTO behind_position, behind_number FROM page ORDER BY page.p DESC, page.n DESC LIMIT 1;
            IF FOUND THEN
                UPDATE paystream.webhook_cursor c SET position = behind_position, number = behind_number
                 WHERE c.merchant = one.m AND c.endpoint = one.e;
            END IF;
        END IF;
        CONTINUE WHEN one.r <= 0;
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
