-- Asks for public events of a merchant once more at one endpoint, from one to another or to the newest, of the given types where any
-- are named; `most` of them at most, and no more than there is room for among those that wait. Answers how many, the last, and whether
-- there are more; `asked` is NULL where there is no room for any.
CREATE OR REPLACE FUNCTION paystream.webhook_redeliver(
    of_merchant int, of_endpoint uuid, from_position bigint, from_number smallint, to_position bigint, to_number smallint,
    of_types text[], most int)
RETURNS TABLE (asked bigint, "position" bigint, number smallint, is_cut boolean)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    room int;
BEGIN
    -- One after the other: two would both take the last places.
    PERFORM FROM paystream.webhook_cursor c WHERE c.merchant = of_merchant AND c.endpoint = of_endpoint FOR UPDATE;
    room := least(most, paystream.webhook_most_waiting() - (SELECT count(*) FROM (
        SELECT FROM paystream.webhook_delivery d
         WHERE d.merchant = of_merchant AND d.endpoint = of_endpoint AND d.state = 1 LIMIT paystream.webhook_most_waiting()) w));
    IF room <= 0 THEN
        RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL::smallint, true;
        RETURN;
    END IF;
    RETURN QUERY
    WITH wanted AS MATERIALIZED (
        SELECT e.position, e.number, e.type, e.stream, e.version FROM paystream.public_event e
         WHERE e.merchant = of_merchant AND (e.position, e.number) >= (from_position, from_number)
           AND (to_position IS NULL OR (e.position, e.number) <= (to_position, to_number))
           AND (cardinality(of_types) = 0 OR e.type = ANY (of_types))
         ORDER BY e.position, e.number LIMIT room),
    written AS (
        INSERT INTO paystream.webhook_delivery AS d
            (merchant, endpoint, position, number, type, stream, version, state, created_at, next_at)
        SELECT of_merchant, of_endpoint, w.position, w.number, w.type, w.stream, w.version, 1, statement_timestamp(), statement_timestamp()
          FROM wanted w
        ON CONFLICT (merchant, endpoint, position, number) DO UPDATE
            SET state = 1, earlier = d.attempts, is_running = false, begun_at = NULL, ended_at = NULL, next_at = statement_timestamp()
          -- One that runs just now is under way.
          WHERE d.state <> 1 OR NOT d.is_running
        RETURNING d.position)
    SELECT (SELECT count(*) FROM wanted), l.position, l.number, (SELECT count(*) FROM wanted) >= room
      FROM (SELECT 1) one LEFT JOIN LATERAL (
          SELECT w.position, w.number FROM wanted w ORDER BY w.position DESC, w.number DESC LIMIT 1) l ON true;
END
$$;
