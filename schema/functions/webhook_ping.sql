-- Asks for a test event at one endpoint, once for its id; false where `most` of them wait already.
CREATE OR REPLACE FUNCTION paystream.webhook_ping(
    of_merchant int, of_endpoint uuid, of_stream uuid, of_version int, of_number smallint, of_type text, of_body bytea, most int)
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM FROM paystream.webhook_cursor c WHERE c.merchant = of_merchant AND c.endpoint = of_endpoint FOR UPDATE;
    IF EXISTS (SELECT FROM paystream.webhook_delivery d
                WHERE d.merchant = of_merchant AND d.endpoint = of_endpoint AND d.position < 0 AND d.stream = of_stream)
    THEN
        RETURN true;
    END IF;
    IF (SELECT count(*) FROM paystream.webhook_delivery d
         WHERE d.merchant = of_merchant AND d.endpoint = of_endpoint AND d.state = 1 AND d.position < 0) >= most
    THEN
        RETURN false;
    END IF;
    INSERT INTO paystream.webhook_delivery
        (merchant, endpoint, position, number, type, stream, version, state, created_at, next_at, body)
    VALUES (of_merchant, of_endpoint, -nextval('paystream.fence_seq'), of_number, of_type, of_stream, of_version, 1,
            statement_timestamp(), statement_timestamp(), of_body);
    RETURN true;
END
$$;
