-- In which step of `delay_count` so many microseconds are counted: the smallest n with at most 2 ^ (n / 8) milliseconds.
CREATE OR REPLACE FUNCTION paystream.delay_step(microseconds bigint) RETURNS smallint LANGUAGE sql IMMUTABLE AS $$
    SELECT ceil(8 * ln(greatest(microseconds, 1000)::float8 / 1000) / ln(2::float8) - 1e-9)::smallint
$$;
