-- Matches open lines with movements, one line to at most one movement, the same way whatever the order of rows: by the provider's name of
-- the operation, then by a name of the payment and the kind, then by amount, currency and day.
--
-- Within a name every line meets every movement, so that ranks tell which belong together and nothing is joined.
CREATE OR REPLACE FUNCTION paystream.settlement_match(
    of_merchant int, of_account uuid, of_file uuid, of_act uuid, window_days int, by_amount text, of_lines bigint)
RETURNS void LANGUAGE plpgsql VOLATILE SET jit = off AS $$
DECLARE
    way text;
BEGIN
    FOREACH way IN ARRAY '{operation,reference}'::text[] LOOP
        -- Equal amounts first: of several with one name the first line goes with the first movement.
        INSERT INTO paystream.settlement_match (merchant, account, file, line, stream, version, number, how, differs, act)
        SELECT DISTINCT ON (c.stream, c.version, c.number) of_merchant, of_account, c.file, c.line, c.stream, c.version, c.number, way,
               false, of_act
          FROM (SELECT s.*, dense_rank() OVER (n ORDER BY s.file, s.line) AS line_place,
                       dense_rank() OVER (n ORDER BY s.pos, s.number) AS movement_place
                  FROM paystream.settlement_candidates(of_merchant, of_account, of_file, way) s
                 WHERE s.amount = s.line_amount AND s.currency = s.line_currency
                WINDOW n AS (PARTITION BY s.name, s.kind, s.amount, s.currency)) c
         WHERE c.line_place = c.movement_place
         ORDER BY c.stream, c.version, c.number, c.file, c.line
        ON CONFLICT DO NOTHING;
        PERFORM paystream.settlement_analyze(of_lines, 'match');
        EXIT WHEN NOT EXISTS (SELECT FROM paystream.settlement_open_lines(of_merchant, of_account, of_file));
        -- Then what is alone on both sides, whatever it comes to.
        INSERT INTO paystream.settlement_match (merchant, account, file, line, stream, version, number, how, differs, act)
        SELECT of_merchant, of_account, c.file, c.line, c.stream, c.version, c.number, way, true, of_act
          FROM (SELECT s.*, count(*) OVER (PARTITION BY s.name, s.kind) AS pairs
                  FROM paystream.settlement_candidates(of_merchant, of_account, of_file, way) s) c
         WHERE c.pairs = 1 AND c.currency = c.line_currency
         ORDER BY c.file, c.line
        ON CONFLICT DO NOTHING;
    END LOOP;
    IF by_amount <> 'never' THEN
        PERFORM paystream.settlement_match_amounts(of_merchant, of_account, of_file, of_act, window_days, by_amount = 'always');
    END IF;
END
$$;
