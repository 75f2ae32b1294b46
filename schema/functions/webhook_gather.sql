-- Writes down what the feed has for endpoints that the claimer holds, and answers how many deliveries of each are due, `p_most` of each
-- at most; endpoints without any are left out.
--
-- `p_types` holds the names of types with blanks between them, empty for all. Of an endpoint that has many waiting no more are written
-- down: its place in the feed waits.
CREATE OR REPLACE FUNCTION paystream.webhook_gather(
    claimer text, p_merchant int[], p_endpoint uuid[], p_types text[], p_ordered boolean[], p_most int[])
RETURNS TABLE (merchant int, endpoint uuid, due int)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    one record;
    at record;
    most_waiting CONSTANT int := paystream.webhook_most_waiting();
    page_rows CONSTANT int := 500;
    behind_position bigint;
    behind_number smallint;
    -- What lies behind the feed's checkpoint may have holes yet.
    shown bigint := coalesce((SELECT c.pos FROM paystream.checkpoint c WHERE c.name = 'public_event'), 0);
BEGIN
    SET LOCAL synchronous_commit = off;
    FOR one IN
        SELECT u.m, u.e, string_to_array(u.t, ' ') AS types
          FROM unnest(p_merchant, p_endpoint, p_types) AS u (m, e, t)
               CROSS JOIN LATERAL (
                   SELECT c.position AS p, c.number AS n FROM paystream.webhook_cursor c
                    WHERE c.merchant = u.m AND c.endpoint = u.e AND c.owner = claimer
                      AND c.lease_until > statement_timestamp() LIMIT 1) k
               -- One look at an index for each that nothing is new for.
               CROSS JOIN LATERAL (
                   SELECT FROM paystream.public_event e
                    WHERE e.merchant = u.m AND (e.position, e.number) > (k.p, k.n) AND e.position <= shown
                    ORDER BY e.position, e.number LIMIT 1) x
         ORDER BY u.m, u.e
    LOOP
        SELECT c.position, c.number INTO at FROM paystream.webhook_cursor c
         WHERE c.merchant = one.m AND c.endpoint = one.e AND c.owner = claimer AND c.lease_until > statement_timestamp() FOR UPDATE;
        CONTINUE WHEN NOT FOUND OR (SELECT count(*) FROM (
            SELECT FROM paystream.webhook_delivery d
             WHERE d.merchant = one.m AND d.endpoint = one.e AND d.state = 1 LIMIT most_waiting) w) >= most_waiting;
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
    END LOOP;
    RETURN QUERY
    SELECT u.m, u.e, w.found
      FROM unnest(p_merchant, p_endpoint, p_ordered, p_most) AS u (m, e, o, r)
           CROSS JOIN LATERAL (
               SELECT count(*)::int AS found FROM (
                   SELECT FROM paystream.webhook_delivery d
                    WHERE d.merchant = u.m AND d.endpoint = u.e AND d.state = 1 AND d.next_at <= statement_timestamp()
                      AND NOT (u.o AND EXISTS (
                              SELECT FROM paystream.webhook_delivery x
                               WHERE x.merchant = u.m AND x.endpoint = u.e AND x.state = 1 AND x.stream = d.stream
                                 AND (x.position, x.number) < (d.position, d.number)))
                    ORDER BY d.next_at LIMIT u.r) y) w
     WHERE u.r > 0 AND w.found > 0 AND EXISTS (
               SELECT FROM paystream.webhook_cursor c
                WHERE c.merchant = u.m AND c.endpoint = u.e AND c.owner = claimer AND c.lease_until > statement_timestamp());
END
$$;
