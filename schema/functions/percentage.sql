-- A share in per cent with two decimals; of fewer than 20 cases none.
CREATE OR REPLACE FUNCTION paystream.percentage(part bigint, whole bigint) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN whole >= 20 THEN round(100 * part::numeric / whole, 2) END
$$;
