-- The facts behind one position up to another that a report counts, so many behind the last one that is known, in the order in which they
-- were known. `number` tells apart what is of one position.
CREATE OR REPLACE FUNCTION paystream.facts_between(
    of_merchant int, zone text, first_day date, end_day date, of_mode text, since bigint, as_of bigint, counted text[],
    last_at timestamptz, last_position bigint, last_number bigint, most int)
RETURNS TABLE ("position" bigint, at text, fact text, kind text, provider text, account text, mode text, method text, currency text,
    amount bigint, id text, part text, attempt smallint, decline_class text, decline_code text, is_first boolean, is_payments_first boolean,
    is_late boolean, seconds text, known_at timestamptz, number bigint)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, facts_between.zone);
    -- Evidence is recorded in the order of the log but for the length of a transaction.
    earliest CONSTANT timestamptz :=
        (SELECT e.at - interval '1 hour' FROM paystream.event e WHERE e.pos > since ORDER BY e.pos LIMIT 1);
    latest CONSTANT timestamptz :=
        (SELECT e.at + interval '1 hour' FROM paystream.event e WHERE e.pos <= as_of ORDER BY e.pos DESC LIMIT 1);
BEGIN
    RETURN QUERY
    SELECT f.pos, to_char(f.known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), f.kind,
           CASE f.stream_kind WHEN 7 THEN 'transfer' WHEN 1 THEN 'payment' ELSE 'schedule' END, f.provider, f.account_name,
           f.account_mode, f.method, f.currency, f.amount,
           CASE f.stream_kind WHEN 7 THEN 'trf_' WHEN 1 THEN 'pay_' ELSE 'sch_' END || replace(f.stream::text, '-', ''), f.part,
           f.attempt, f.decline_class, f.decline_code, f.is_first, f.is_payments_first, f.is_late, (f.delay / 1000000.0)::numeric(20, 3)::text,
           f.known_at, f.number::bigint
      FROM paystream.fact f
     WHERE f.merchant = of_merchant AND f.pos > since AND f.pos <= as_of AND f.known_at BETWEEN earliest AND latest
       AND f.kind = ANY (counted) AND (of_mode IS NULL OR f.account_mode = of_mode)
       AND (first_day IS NULL OR f.known_at >= paystream.day_begins(first_day, named))
       AND (end_day IS NULL OR f.known_at < paystream.day_begins(end_day, named))
       AND (last_at IS NULL OR f.known_at >= last_at AND (f.known_at, f.pos, f.number) > (last_at, last_position, last_number))
     ORDER BY f.known_at, f.pos, f.number LIMIT most;
END
$$;
