-- Whether a stream's mailbox holds an input of one of these names that was admitted before another one; where that one is not
-- admitted, or none is named, of whatever age.
CREATE OR REPLACE FUNCTION paystream.awaits_mail(in_merchant int, in_stream uuid, in_names text[], in_before uuid)
RETURNS boolean LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    place bigint;
BEGIN
    SELECT x.pos INTO place FROM paystream.input x WHERE x.merchant = in_merchant AND x.id = in_before;
    RETURN EXISTS (
        SELECT FROM (SELECT w.input FROM paystream.undecided w
                      WHERE w.merchant = in_merchant AND w.stream = in_stream
                        AND w.pos < coalesce(place, 9223372036854775807) OFFSET 0) w
               CROSS JOIN LATERAL (
                   SELECT x.name FROM paystream.input x WHERE x.merchant = in_merchant AND x.id = w.input OFFSET 0) i
         WHERE i.name = ANY (in_names));
END
$$;
