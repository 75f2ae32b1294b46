-- Puts a refused notification on a shelf that holds the last 10,000 and drops what has expired.
CREATE OR REPLACE FUNCTION paystream.shelve_notification(
    in_merchant int, in_source text, in_reason text, in_meta json, in_body bytea, keep_us bigint)
RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    shelf_rows CONSTANT bigint := 10000;
    made bigint;
BEGIN
    INSERT INTO paystream.quarantine (expires_at, merchant, source, reason, meta, body)
    VALUES (statement_timestamp() + keep_us * interval '1 microsecond', in_merchant, in_source, in_reason, in_meta,
        in_body)
    RETURNING id INTO made;
    DELETE FROM paystream.quarantine q WHERE q.id <= made - shelf_rows OR q.expires_at <= statement_timestamp();
    RETURN made;
END
$$;
