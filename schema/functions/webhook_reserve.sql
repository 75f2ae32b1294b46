-- Takes a place for an endpoint that is about to be made; false where the merchant has `most` of them, or made `ever` of them already.
--
-- Requests side by side go one after the other here. A place whose endpoint was not made ends behind a minute.
CREATE OR REPLACE FUNCTION paystream.webhook_reserve(of_merchant int, of_endpoint uuid, most int, ever int)
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    made bigint;
    held bigint;
BEGIN
    PERFORM FROM paystream.merchant m WHERE m.id = of_merchant FOR NO KEY UPDATE;
    DELETE FROM paystream.webhook_reservation r
     WHERE r.merchant = of_merchant AND r.at < statement_timestamp() - interval '1 minute';
    SELECT count(*), count(*) FILTER (WHERE NOT EXISTS (
               SELECT FROM paystream.event e
                WHERE e.merchant = of_merchant AND e.stream = k.id AND e.type = 'webhookEndpoint.removed.v1'))
      INTO made, held
      FROM (SELECT s.id FROM paystream.stream s WHERE s.merchant = of_merchant AND s.kind = 10 AND s.ver > 0
            UNION
            SELECT r.endpoint FROM paystream.webhook_reservation r WHERE r.merchant = of_merchant) k
     WHERE k.id <> of_endpoint;
    IF held >= most OR made >= ever THEN
        RETURN false;
    END IF;
    INSERT INTO paystream.webhook_reservation (merchant, endpoint, at) VALUES (of_merchant, of_endpoint, statement_timestamp())
    ON CONFLICT (merchant, endpoint) DO UPDATE SET at = excluded.at;
    RETURN true;
END
$$;
