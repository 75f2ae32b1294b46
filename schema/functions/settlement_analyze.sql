-- Tells the planner what an import has written so far: a million rows of this transaction are none to it otherwise, and an index that fits
-- looks to it like one that does not. Small imports need it not, and hold nobody up by the lock that it takes. Runs with its owner's rights,
-- because the daemon owns no table.
CREATE OR REPLACE FUNCTION paystream.settlement_analyze(of_lines bigint, of_table text) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF of_lines < 2000 THEN
        RETURN;
    END IF;
    CASE of_table
    WHEN 'line' THEN ANALYZE paystream.settlement_line;
    WHEN 'match' THEN ANALYZE paystream.settlement_match;
    WHEN 'exception' THEN ANALYZE paystream.settlement_exception;
    WHEN 'entry' THEN ANALYZE paystream.settlement_entry;
    WHEN 'withdrawal' THEN ANALYZE paystream.settlement_withdrawal;
    END CASE;
END
$$;
