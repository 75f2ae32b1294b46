-- Microseconds since something was, never below zero; zero where it never was.
CREATE OR REPLACE FUNCTION paystream.elapsed(moment timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce((extract(epoch FROM greatest(interval '0', statement_timestamp() - moment)) * 1000000)::bigint, 0)
$$;
