-- Matches open lines with movements, one line to at most one movement, the same way whatever the order of rows: by the provider's name of
-- the operation, then by a name of the payment and the kind, then by amount, currency and day where exactly one movement comes into
-- question and for it exactly one line.
CREATE OR REPLACE FUNCTION paystream.settlement_match(
    of_merchant int, of_account uuid, of_file uuid, of_act uuid, window_days int, by_amount text)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    way text;
BEGIN
    FOREACH way IN ARRAY '{operation,reference}'::text[] LOOP
        -- Equal amounts first: of several with one name the first line goes with the first movement.
        INSERT INTO paystream.settlement_match (merchant, account, file, line, stream, version, number, how, act)
        WITH c AS MATERIALIZED (
            SELECT * FROM paystream.settlement_candidates(of_merchant, of_account, of_file, way, window_days, by_amount) s
             WHERE s.amount = s.line_amount AND s.currency = s.line_currency),
        l AS (SELECT d.*, row_number() OVER (PARTITION BY d.name, d.kind, d.amount, d.currency ORDER BY d.file, d.line) AS place
                FROM (SELECT DISTINCT c.file, c.line, c.name, c.kind, c.amount, c.currency FROM c) d),
        m AS (SELECT d.*, row_number() OVER (PARTITION BY d.name, d.kind, d.amount, d.currency ORDER BY d.pos, d.number) AS place
                FROM (SELECT DISTINCT c.stream, c.version, c.number, c.pos, c.name, c.kind, c.amount, c.currency FROM c) d)
        SELECT DISTINCT ON (m.stream, m.version, m.number) of_merchant, of_account, l.file, l.line, m.stream, m.version, m.number, way,
               of_act
          FROM l JOIN m USING (name, kind, amount, currency, place)
         ORDER BY m.stream, m.version, m.number, l.file, l.line
        ON CONFLICT DO NOTHING;
        -- Then what is alone on both sides, whatever it comes to.
        INSERT INTO paystream.settlement_match (merchant, account, file, line, stream, version, number, how, act)
        WITH c AS MATERIALIZED (
            SELECT *, min(concat_ws('/', s.file, s.line)) OVER n AS first_line, max(concat_ws('/', s.file, s.line)) OVER n AS last_line,
                   min(concat_ws('/', s.pos, s.number)) OVER n AS first_movement,
                   max(concat_ws('/', s.pos, s.number)) OVER n AS last_movement
              FROM paystream.settlement_candidates(of_merchant, of_account, of_file, way, window_days, by_amount) s
            WINDOW n AS (PARTITION BY s.name, s.kind))
        SELECT of_merchant, of_account, c.file, c.line, c.stream, c.version, c.number, way, of_act FROM c
         WHERE c.currency = c.line_currency AND c.first_line = c.last_line AND c.first_movement = c.last_movement
        ON CONFLICT DO NOTHING;
    END LOOP;
    IF by_amount <> 'never' THEN
        INSERT INTO paystream.settlement_match (merchant, account, file, line, stream, version, number, how, act)
        WITH c AS MATERIALIZED (
            SELECT *, count(*) OVER (PARTITION BY s.file, s.line) AS movements,
                   count(*) OVER (PARTITION BY s.stream, s.version, s.number) AS lines
              FROM paystream.settlement_candidates(of_merchant, of_account, of_file, 'amount', window_days, by_amount) s)
        SELECT of_merchant, of_account, c.file, c.line, c.stream, c.version, c.number, 'amount', of_act FROM c
         WHERE c.movements = 1 AND c.lines = 1
        ON CONFLICT DO NOTHING;
    END IF;
END
$$;
