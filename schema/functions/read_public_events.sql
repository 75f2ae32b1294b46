-- Reads a page of a merchant's public events behind a place, in their order: of some types, where any are named, or of one stream.
--
-- It looks at `scanned` events at most and ends behind `most` of them, or where their bodies are `most_bytes` long. The last row has no body: it
-- says where the page ends, which event is the merchant's newest, the log's last position, when the newest recovery epoch
-- began, and up to which position the log was kept through the epochs that began behind `known_epoch`. All of it is one snapshot's: an epoch that
-- lost events is seen before any event that took their positions.
CREATE OR REPLACE FUNCTION paystream.read_public_events(
    of_merchant int, after_position bigint, after_number smallint, known_epoch timestamptz, of_stream uuid, of_types text[],
    scanned int, most int, most_bytes int)
RETURNS TABLE ("position" bigint, number smallint, body bytea, newest_position bigint, newest_number smallint, log_end bigint,
               epoch timestamptz, kept bigint)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off AS $$
DECLARE
    r record;
    looked int := 0;
    found int := 0;
    is_full boolean := false;
    size bigint := 0;
    -- Where the follower had to write streams one by one, what lies behind its checkpoint has holes yet.
    shown bigint := coalesce((SELECT c.pos FROM paystream.checkpoint c WHERE c.name = 'public_event'), 0);
    end_position bigint := after_position;
    end_number smallint := after_number;
BEGIN
    SELECT e.position, e.number INTO newest_position, newest_number FROM paystream.public_event e
     WHERE e.merchant = of_merchant AND e.position <= shown ORDER BY e.position DESC, e.number DESC LIMIT 1;
    SELECT q.last_value INTO log_end FROM paystream.pos_seq q;
    SELECT e.begun_at INTO epoch FROM paystream.recovery_epoch e ORDER BY e.number DESC LIMIT 1;
    SELECT min(e.log_end) INTO kept FROM paystream.recovery_epoch e WHERE e.begun_at > known_epoch;
    IF after_position IS NULL OR kept < after_position THEN
        end_position := coalesce(after_position, newest_position, 0);
        end_number := coalesce(after_number, newest_number, 0);
    ELSIF of_stream IS NULL THEN
        FOR r IN
            SELECT e.position AS p, e.number AS n, e.type AS t, e.body AS b FROM paystream.public_event e
             WHERE e.merchant = of_merchant AND (e.position, e.number) > (after_position, after_number) AND e.position <= shown
             ORDER BY e.position, e.number LIMIT scanned
        LOOP
            looked := looked + 1;
            end_position := r.p;
            end_number := r.n;
            CONTINUE WHEN cardinality(of_types) > 0 AND r.t <> ALL (of_types);
            "position" := r.p;
            number := r.n;
            body := r.b;
            RETURN NEXT;
            found := found + 1;
            size := size + octet_length(r.b);
            is_full := found >= most OR size >= most_bytes;
            EXIT WHEN is_full;
        END LOOP;
    ELSE
        FOR r IN
            SELECT e.position AS p, e.number AS n, e.type AS t, e.body AS b FROM paystream.public_event e
             WHERE e.merchant = of_merchant AND e.stream = of_stream AND (e.position, e.number) > (after_position, after_number)
               AND e.position <= shown
             ORDER BY e.version, e.number LIMIT scanned
        LOOP
            looked := looked + 1;
            end_position := r.p;
            end_number := r.n;
            CONTINUE WHEN cardinality(of_types) > 0 AND r.t <> ALL (of_types);
            "position" := r.p;
            number := r.n;
            body := r.b;
            RETURN NEXT;
            found := found + 1;
            size := size + octet_length(r.b);
            is_full := found >= most OR size >= most_bytes;
            EXIT WHEN is_full;
        END LOOP;
    END IF;
    -- Nothing of what is asked for lies behind it.
    IF after_position IS NOT NULL AND NOT is_full AND looked < scanned AND (newest_position, newest_number) > (end_position, end_number)
        AND (kept >= after_position) IS NOT FALSE
    THEN
        end_position := newest_position;
        end_number := newest_number;
    END IF;
    "position" := end_position;
    number := end_number;
    body := NULL;
    RETURN NEXT;
END
$$;
