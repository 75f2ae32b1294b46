-- Keeps the zone in which a merchant's days begin; false where months are closed in another one.
CREATE OR REPLACE FUNCTION paystream.keep_zone(of_merchant int, of_zone text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    UPDATE paystream.merchant m SET zone = paystream.report_zone(of_merchant, of_zone)
     WHERE m.id = of_merchant
       AND NOT EXISTS (SELECT FROM paystream.closed_period c WHERE c.merchant = of_merchant AND c.zone <> of_zone);
    RETURN FOUND;
END
$$;
