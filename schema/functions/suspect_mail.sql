-- Writes down what is held against claimed mailboxes: 0 for nothing, 1 for a company that failed, one more for each decision of
-- its first input alone that has begun. A lost claim is ignored.
CREATE OR REPLACE FUNCTION paystream.suspect_mail(merchants int[], streams uuid[], fences bigint[], tried int[])
RETURNS void LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT * FROM unnest(merchants, streams, fences, tried) AS u (m, s, f, n) ORDER BY u.m, u.s LOOP
        UPDATE paystream.mail b SET attempts = r.n WHERE b.merchant = r.m AND b.stream = r.s AND b.fence = r.f;
    END LOOP;
END
$$;
