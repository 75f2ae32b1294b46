-- Tells the planner what an import has written so far: a million rows of this transaction are none to it otherwise, and an index that fits
-- looks to it like one that does not. Small imports need it not. Another merchant's long import holds the lock that it takes until it ends: it
-- has told the planner of its own rows then, and nobody waits for it. Runs with its owner's rights, because the daemon owns no table.
CREATE OR REPLACE FUNCTION paystream.settlement_analyze(of_lines bigint, of_table text) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
BEGIN
    IF of_lines >= 2000 AND of_table IN ('line', 'match', 'exception', 'entry', 'withdrawal') THEN
        EXECUTE format('ANALYZE paystream.%I', 'settlement_' || of_table);
    END IF;
EXCEPTION WHEN lock_not_available THEN
    NULL;
END
$$;
