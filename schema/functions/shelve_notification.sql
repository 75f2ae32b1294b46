-- Puts a refused notification on a shelf that holds the last 10,000 and the last 64 MiB, and drops what has expired.
CREATE OR REPLACE FUNCTION paystream.shelve_notification(
    in_merchant int, in_source text, in_reason text, in_meta json, in_body bytea, keep_us bigint)
RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    shelf_rows CONSTANT bigint := 10000;
    shelf_bytes CONSTANT bigint := 64 * 1024 * 1024;
    -- Bytes are summed up now and then; until then no more than so many bodies come over the bound.
    round CONSTANT bigint := 64;
    made bigint;
    first bigint;
BEGIN
    INSERT INTO paystream.quarantine (expires_at, merchant, source, reason, meta, body)
    VALUES (statement_timestamp() + keep_us * interval '1 microsecond', in_merchant, in_source, in_reason, in_meta,
        in_body)
    RETURNING id INTO made;
    IF made % round = 0 THEN
        SELECT min(q.id) INTO first
          FROM (SELECT s.id, sum(octet_length(s.body)) OVER (ORDER BY s.id DESC) AS bytes FROM paystream.quarantine s) q
         WHERE q.bytes <= shelf_bytes;
    END IF;
    DELETE FROM paystream.quarantine q
     WHERE q.id <= made - shelf_rows OR q.expires_at <= statement_timestamp() OR q.id < first;
    RETURN made;
END
$$;
