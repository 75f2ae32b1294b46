-- A share in per cent with two decimals; of fewer than 20 cases none. A part that is larger than the whole is of another day or another account than
-- that is, and no share of it.
CREATE OR REPLACE FUNCTION paystream.percentage(part bigint, whole bigint) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN whole >= 20 AND part <= whole THEN round(100 * part::numeric / whole, 2) END
$$;
