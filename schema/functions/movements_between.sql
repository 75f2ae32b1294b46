-- The movements behind one position up to another that a report counts, and what settlement booked beside them, so many behind the last one
-- that is known, in the order in which they were known. `of_report` narrows those of bills, and what nobody commanded. `number` tells apart
-- what is of one position.
CREATE OR REPLACE FUNCTION paystream.movements_between(
    of_merchant int, zone text, first_day date, end_day date, of_mode text, since bigint, as_of bigint, by_effective boolean, counted text[],
    of_report text, last_at timestamptz, last_position bigint, last_number bigint, most int)
RETURNS TABLE ("position" bigint, at text, effective_at text, movement text, kind text, provider text, account text, mode text, currency text,
    amount bigint, id text, reference text, part text, provider_reference text, method text, scheme text, payee text, evidence text, commanded boolean,
    known_at timestamptz, number bigint)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, movements_between.zone);
    -- Evidence is recorded in the order of the log but for the length of a transaction.
    earliest CONSTANT timestamptz :=
        (SELECT e.at - interval '1 hour' FROM paystream.event e WHERE e.pos > since ORDER BY e.pos LIMIT 1);
    latest CONSTANT timestamptz :=
        (SELECT e.at + interval '1 hour' FROM paystream.event e WHERE e.pos <= as_of ORDER BY e.pos DESC LIMIT 1);
BEGIN
    RETURN QUERY
    SELECT b.pos, to_char(b.known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
           to_char(b.effective_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), b.kind,
           CASE b.stream_kind WHEN 7 THEN 'transfer' WHEN 1 THEN 'payment' WHEN 6 THEN 'bill' ELSE 'settlement' END, b.provider,
           b.account_name, b.account_mode, b.currency, b.amount,
           CASE b.stream_kind WHEN 7 THEN 'trf_' WHEN 1 THEN 'pay_' WHEN 6 THEN 'bat_' ELSE 'stl_' END || replace(b.id::text, '-', ''),
           b.reference, b.part, b.provider_reference, b.method, b.scheme, b.payee, b.evidence, b.commanded, b.known_at, b.number
      FROM ((SELECT v.pos, v.known_at, v.effective_at, v.kind, v.stream_kind, v.provider, v.account_name, v.account_mode, v.currency,
                    v.amount, coalesce(v.batch, v.stream) AS id, v.reference, v.part, v.provider_reference, v.method, v.scheme, v.payee, v.evidence,
                    v.commanded, v.number::bigint AS number
               FROM paystream.movement v, LATERAL (SELECT CASE WHEN by_effective THEN v.effective_at ELSE v.known_at END) AS t (day_at)
              WHERE v.merchant = of_merchant AND v.pos > since AND v.pos <= as_of AND v.known_at BETWEEN earliest AND latest
                AND v.kind = ANY (counted) AND (of_mode IS NULL OR v.account_mode = of_mode)
                AND (of_report <> 'bills' OR v.stream_kind NOT IN (1, 7)) AND (of_report <> 'uncommanded' OR NOT v.commanded)
                AND (first_day IS NULL OR t.day_at >= paystream.day_begins(first_day, named))
                AND (end_day IS NULL OR t.day_at < paystream.day_begins(end_day, named))
                AND (last_at IS NULL OR v.known_at >= last_at AND (v.known_at, v.pos, v.number) > (last_at, last_position, last_number))
              ORDER BY v.known_at, v.pos, v.number LIMIT most)
            UNION ALL
            (SELECT a.pos, a.at, e.effective_at, e.kind, e.stream_kind, e.provider, e.name, e.mode, e.currency, e.amount,
                    coalesce(e.stream, e.file, e.act), e.reference, NULL, e.provider_reference, NULL, NULL, NULL,
                    CASE WHEN e.exception IS NULL THEN 'settlement' ELSE 'operator' END, false, e.id
               FROM paystream.settlement_act a
               -- Of one act no more than are asked for: an import may have booked a million.
               CROSS JOIN LATERAL (
                   SELECT x.*, c.provider, c.name, c.mode, l.reference, l.provider_reference
                     FROM paystream.settlement_entry x
                     JOIN paystream.settlement_account c ON c.merchant = x.merchant AND c.account = x.account
                     LEFT JOIN paystream.settlement_line l ON l.merchant = x.merchant AND l.file = x.file AND l.number = x.line,
                          LATERAL (SELECT CASE WHEN by_effective THEN x.effective_at ELSE a.at END) AS t (day_at)
                    WHERE x.merchant = a.merchant AND x.act = a.id AND x.id > CASE a.pos WHEN last_position THEN last_number ELSE 0 END
                      AND x.kind = ANY (counted) AND (of_mode IS NULL OR c.mode = of_mode)
                      AND (first_day IS NULL OR t.day_at >= paystream.day_begins(first_day, named))
                      AND (end_day IS NULL OR t.day_at < paystream.day_begins(end_day, named))
                    ORDER BY x.id LIMIT most) e
              WHERE a.merchant = of_merchant AND a.pos > since AND a.pos <= as_of AND of_report <> 'bills'
                AND (last_at IS NULL OR (a.at, a.pos) >= (last_at, last_position))
              ORDER BY a.at, a.pos, e.id LIMIT most)) b
     ORDER BY b.known_at, b.pos, b.number LIMIT most;
END
$$;
