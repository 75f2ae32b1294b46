-- The movements behind one position up to another that a report counts, so many behind the last one that is known, in the order in which they were
-- known. `of_report` narrows those of bills, and what nobody commanded.
CREATE OR REPLACE FUNCTION paystream.movements_between(
    of_merchant int, zone text, first_day date, end_day date, of_mode text, since bigint, as_of bigint, by_effective boolean, counted text[],
    of_report text, last_at timestamptz, last_position bigint, last_number int, most int)
RETURNS TABLE ("position" bigint, at text, effective_at text, movement text, kind text, provider text, account text, mode text, currency text,
    amount bigint, id text, reference text, part text, provider_reference text, method text, payee text, evidence text, commanded boolean,
    known_at timestamptz, number smallint)
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
    SELECT v.pos, to_char(v.known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
           to_char(v.effective_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), v.kind,
           CASE v.stream_kind WHEN 7 THEN 'transfer' WHEN 1 THEN 'payment' ELSE 'bill' END, v.provider, v.account_name, v.account_mode,
           v.currency, v.amount,
           CASE v.stream_kind WHEN 7 THEN 'trf_' WHEN 1 THEN 'pay_' ELSE 'bat_' END || replace(coalesce(v.batch, v.stream)::text, '-', ''),
           v.reference, v.part, v.provider_reference, v.method, v.payee, v.evidence, v.commanded, v.known_at, v.number
      FROM paystream.movement v, LATERAL (SELECT CASE WHEN by_effective THEN v.effective_at ELSE v.known_at END) AS t (day_at)
     WHERE v.merchant = of_merchant AND v.pos > since AND v.pos <= as_of AND v.known_at BETWEEN earliest AND latest
       AND v.kind = ANY (counted) AND (of_mode IS NULL OR v.account_mode = of_mode)
       AND (of_report <> 'bills' OR v.stream_kind NOT IN (1, 7)) AND (of_report <> 'uncommanded' OR NOT v.commanded)
       AND (first_day IS NULL OR t.day_at >= first_day::timestamp AT TIME ZONE named)
       AND (end_day IS NULL OR t.day_at < end_day::timestamp AT TIME ZONE named)
       AND (last_at IS NULL OR v.known_at >= last_at AND (v.known_at, v.pos, v.number) > (last_at, last_position, last_number))
     ORDER BY v.known_at, v.pos, v.number LIMIT most;
END
$$;
