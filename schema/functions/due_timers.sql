-- Lists timers that are due, at most 200: 0 machine, 1 business, by the server's clock or by the merchant's own. Several
-- readers may see the same one.
--
-- The oldest come first, as long as a page holds all. Where it does not, the list goes round the merchants, from the one behind
-- `after_merchant` on, and shares its places among those that have something due; each merchant's oldest come first. So nobody's
-- timers wait for another one's backlog, and the walk from one merchant to the next is made only while there is one.
CREATE OR REPLACE FUNCTION paystream.due_timers(most int DEFAULT 200, after_merchant int DEFAULT 0)
RETURNS TABLE (merchant int, stream_kind smallint, stream uuid, clock int, at timestamptz)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    free int := least(most, 200);
    at_merchant bigint := after_merchant;
    is_second boolean := false;
    merchants bigint[] := '{}';
    -- How many of its timers each of them has got; NULL once it has no more.
    taken int[] := '{}';
    share int;
    got int;
    r record;
BEGIN
    IF (SELECT count(*) FROM paystream.oldest_timers(free + 1)) <= free THEN
        RETURN QUERY SELECT * FROM paystream.oldest_timers(free);
        RETURN;
    END IF;
    WHILE cardinality(merchants) < free LOOP
        SELECT x.merchant::bigint AS m,
               least(x.machine, CASE WHEN NOT x.clocked THEN x.business END) <= statement_timestamp() AS is_due INTO r
          FROM paystream.due x WHERE x.merchant::bigint > at_merchant
         ORDER BY x.merchant::bigint, least(x.machine, CASE WHEN NOT x.clocked THEN x.business END) LIMIT 1;
        IF NOT FOUND THEN
            EXIT WHEN is_second;
            is_second := true;
            at_merchant := 0;
            CONTINUE;
        END IF;
        EXIT WHEN is_second AND r.m > after_merchant;
        at_merchant := r.m;
        IF r.is_due OR EXISTS (
            SELECT FROM paystream.merchant_clock c
             WHERE c.merchant = r.m AND EXISTS (
                   SELECT FROM paystream.due x WHERE x.merchant = c.merchant AND x.clocked AND x.business <= c.at)) THEN
            merchants := merchants || r.m;
            taken := taken || 0;
        END IF;
    END LOOP;
    -- What one of them leaves, the others get in the next round. Nothing is sorted but what one stream has, so that
    -- one round goes on where the last ended.
    LOOP
        share := 0;
        FOR o IN 1..cardinality(merchants) LOOP
            CONTINUE WHEN taken[o] IS NULL OR free = 0;
            share := (free + cardinality(merchants) - o) / (cardinality(merchants) - o + 1);
            RETURN QUERY
            (SELECT x.merchant, x.stream_kind, x.stream, v.clock, v.at
               FROM paystream.due x CROSS JOIN LATERAL (
                    SELECT t.clock, t.at
                      FROM (VALUES (0, x.machine), (1, CASE WHEN NOT x.clocked THEN x.business END)) t (clock, at)
                     ORDER BY t.at, t.clock) v
              WHERE x.merchant::bigint = merchants[o] AND v.at <= statement_timestamp()
                AND least(x.machine, CASE WHEN NOT x.clocked THEN x.business END) <= statement_timestamp()
              ORDER BY least(x.machine, CASE WHEN NOT x.clocked THEN x.business END) LIMIT taken[o] + share)
            UNION ALL
            (SELECT x.merchant, x.stream_kind, x.stream, 1, x.business
               FROM paystream.merchant_clock c JOIN paystream.due x ON x.merchant = c.merchant
              WHERE c.merchant = merchants[o] AND x.clocked AND x.business <= c.at
              ORDER BY x.business LIMIT taken[o] + share)
            OFFSET taken[o] LIMIT share;
            GET DIAGNOSTICS got = ROW_COUNT;
            taken[o] := CASE WHEN got = share THEN taken[o] + got END;
            free := free - got;
        END LOOP;
        EXIT WHEN share = 0;
    END LOOP;
END
$$;
