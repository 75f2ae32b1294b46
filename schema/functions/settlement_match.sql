-- Matches open lines with movements, one line to at most one movement, the same way whatever the order of rows: by the provider's name of
-- the operation, then by a name of the payment and the kind, then by amount, currency and day. What was matched before follows the money.
--
-- Lines and movements are ranked apart within what makes them alike, and stand side by side by their ranks: nothing is joined, and a name
-- that thousands of lines share costs no more than as many names. Sorts go by bytes: nobody reads their order.
CREATE OR REPLACE FUNCTION paystream.settlement_match(
    of_merchant int, of_account uuid, of_file uuid, of_act uuid, window_days int, by_amount text, of_lines bigint)
RETURNS void LANGUAGE plpgsql VOLATILE SET jit = off AS $$
DECLARE
    way text;
    is_open boolean;
BEGIN
    PERFORM paystream.settlement_follow(of_merchant, of_account, of_act);
    FOREACH way IN ARRAY '{operation,reference}'::text[] LOOP
        -- Equal amounts first: of several with one name the first line goes with the first movement.
        INSERT INTO paystream.settlement_match (merchant, account, file, line, stream, version, number, how, differs, act)
        SELECT of_merchant, of_account, c.file, c.line, c.next_stream, c.next_version, c.next_number, way, false, of_act
          FROM (SELECT p.file, p.line, lead(p.stream) OVER n AS next_stream, lead(p.version) OVER n AS next_version,
                       lead(p.number) OVER n AS next_number
                  FROM (SELECT s.*, row_number() OVER (PARTITION BY s.name, s.kind, s.amount, s.currency, s.file IS NULL
                                                       ORDER BY s.file, s.line, s.pos, s.number) AS place
                          FROM (SELECT d.name COLLATE "C" AS name, d.kind COLLATE "C" AS kind, d.amount, d.currency COLLATE "C" AS currency,
                                       d.file, d.line, d.stream, d.version, d.number, d.pos
                                  FROM paystream.settlement_candidates(of_merchant, of_account, of_file, way, true) d) s) p
                WINDOW n AS (PARTITION BY p.name, p.kind, p.amount, p.currency, p.place ORDER BY p.file IS NULL)) c
         WHERE c.file IS NOT NULL AND c.next_stream IS NOT NULL
         ORDER BY c.file, c.line, c.next_stream
        ON CONFLICT DO NOTHING;
        PERFORM paystream.settlement_analyze(of_lines, 'match');
        is_open := EXISTS (SELECT FROM paystream.settlement_open_lines(of_merchant, of_account, of_file));
        IF NOT is_open THEN
            EXIT WHEN NOT EXISTS (SELECT FROM paystream.settlement_adjusted_lines(of_merchant, of_account));
            CONTINUE;
        END IF;
        -- Then what is alone on both sides, whatever it comes to.
        INSERT INTO paystream.settlement_match (merchant, account, file, line, stream, version, number, how, differs, act)
        SELECT of_merchant, of_account, c.file, c.line, c.next_stream, c.next_version, c.next_number, way, true, of_act
          FROM (SELECT s.file, s.line, s.currency, count(s.file) OVER w AS lines, count(s.stream) OVER w AS movements,
                       lead(s.stream) OVER n AS next_stream, lead(s.version) OVER n AS next_version,
                       lead(s.number) OVER n AS next_number, lead(s.currency) OVER n AS next_currency
                  FROM paystream.settlement_candidates(of_merchant, of_account, of_file, way) s
                WINDOW w AS (PARTITION BY s.name, s.kind), n AS (PARTITION BY s.name, s.kind ORDER BY s.file IS NULL)) c
         WHERE c.file IS NOT NULL AND c.lines = 1 AND c.movements = 1 AND c.currency = c.next_currency
         ORDER BY c.file, c.line, c.next_stream
        ON CONFLICT DO NOTHING;
    END LOOP;
    IF is_open AND by_amount <> 'never' THEN
        PERFORM paystream.settlement_match_amounts(of_merchant, of_account, of_file, of_act, window_days, by_amount = 'always');
    END IF;
END
$$;
