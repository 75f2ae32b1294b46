-- The zone in which a merchant's months begin: that of the months that are closed, or the merchant's own.
CREATE OR REPLACE FUNCTION paystream.books_zone(of_merchant int) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT c.zone FROM paystream.closed_period c WHERE c.merchant = of_merchant LIMIT 1),
                    (SELECT m.zone FROM paystream.merchant m WHERE m.id = of_merchant))
$$;
