-- Matches open lines by amount, currency and a day of the window, where exactly one movement comes into question and for it exactly one
-- line: those that name nothing, or all. Where more than a hundred are alike on either side, nothing tells them apart, and none is tried.
CREATE OR REPLACE FUNCTION paystream.settlement_match_amounts(
    of_merchant int, of_account uuid, of_file uuid, of_act uuid, window_days int, with_names boolean)
RETURNS void LANGUAGE plpgsql VOLATILE SET jit = off AS $$
DECLARE
    begins timestamptz;
    ends timestamptz;
BEGIN
    SELECT min(l.at) - window_days * interval '1 day', max(l.at) + window_days * interval '1 day' INTO begins, ends
      FROM paystream.settlement_open_lines(of_merchant, of_account, of_file) l
     WHERE with_names OR l.provider_reference IS NULL AND l.reference IS NULL;
    IF begins IS NULL THEN
        RETURN;
    END IF;
    INSERT INTO paystream.settlement_match (merchant, account, file, line, stream, version, number, how, differs, act)
    WITH sides AS MATERIALIZED (
        SELECT l.kind, l.amount, l.currency, l.at, l.file, l.number AS line, NULL::uuid AS stream, NULL::int AS version,
               NULL::smallint AS number
          FROM paystream.settlement_open_lines(of_merchant, of_account, of_file) l
         WHERE with_names OR l.provider_reference IS NULL AND l.reference IS NULL
        UNION ALL
        SELECT m.kind, m.amount, m.currency, m.at, NULL, NULL, m.stream, m.version, m.number
          FROM paystream.settleable(of_merchant) m
         WHERE m.account = of_account AND m.at >= begins AND m.at <= ends AND m.amount > 0
           AND NOT EXISTS (SELECT FROM paystream.settlement_match x
                            WHERE x.merchant = of_merchant AND x.stream = m.stream AND x.version = m.version AND x.number = m.number
                              AND x.ended_act IS NULL)),
    -- Each group of what is alike as one row, so that the two sides meet without a join that could go wrong.
    alike AS MATERIALIZED (
        SELECT s.kind, s.amount, s.currency, array_agg(s.file) FILTER (WHERE s.file IS NOT NULL) AS files,
               array_agg(s.line) FILTER (WHERE s.file IS NOT NULL) AS lines, array_agg(s.at) FILTER (WHERE s.file IS NOT NULL) AS line_days,
               array_agg(s.stream) FILTER (WHERE s.file IS NULL) AS streams, array_agg(s.version) FILTER (WHERE s.file IS NULL) AS versions,
               array_agg(s.number) FILTER (WHERE s.file IS NULL) AS numbers, array_agg(s.at) FILTER (WHERE s.file IS NULL) AS days
          FROM sides s GROUP BY s.kind, s.amount, s.currency
        HAVING count(s.file) BETWEEN 1 AND 100 AND count(*) - count(s.file) BETWEEN 1 AND 100),
    pairs AS (
        SELECT l.file, l.line, m.stream, m.version, m.number, count(*) OVER (PARTITION BY l.file, l.line) AS movements,
               count(*) OVER (PARTITION BY m.stream, m.version, m.number) AS of_lines
          FROM alike a CROSS JOIN LATERAL unnest(a.files, a.lines, a.line_days) AS l (file, line, at)
          CROSS JOIN LATERAL unnest(a.streams, a.versions, a.numbers, a.days) AS m (stream, version, number, at)
         WHERE m.at >= l.at - window_days * interval '1 day' AND m.at <= l.at + window_days * interval '1 day')
    SELECT of_merchant, of_account, p.file, p.line, p.stream, p.version, p.number, 'amount', false, of_act FROM pairs p
     WHERE p.movements = 1 AND p.of_lines = 1
    ON CONFLICT DO NOTHING;
END
$$;
