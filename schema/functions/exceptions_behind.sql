-- What does not fit between books and files, the oldest first, so many behind the last one that is known. Ages are counted to the newest event.
CREATE OR REPLACE FUNCTION paystream.exceptions_behind(
    of_merchant int, zone text, first_day date, end_day date, of_mode text, as_of bigint, last_since timestamptz, last_at timestamptz,
    last_line int, last_id uuid, most int)
RETURNS TABLE (happened date, provider text, account text, mode text, class text, currency text, amount numeric, age int, owner text,
    line int, provider_reference text, reference text, exception text, since timestamptz, at timestamptz, place int, id uuid)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, exceptions_behind.zone);
    newest timestamptz := (SELECT max(a.at) FROM paystream.settlement_act a WHERE a.merchant = of_merchant AND a.pos <= as_of);
BEGIN
    newest := greatest(newest, (SELECT e.at FROM paystream.event e WHERE e.pos <= as_of ORDER BY e.pos DESC LIMIT 1));
    RETURN QUERY
    SELECT (x.at AT TIME ZONE named)::date, x.provider, x.name, x.mode, x.class, x.currency, x.amount::numeric,
           (newest AT TIME ZONE named)::date - (x.since AT TIME ZONE named)::date,
           -- The last owner up to the position, else the one before the first step behind it: taken over from the exception that this one
           -- follows.
           coalesce(CASE WHEN told.number IS NOT NULL THEN told.owner WHEN next.number IS NOT NULL THEN next.was ELSE x.owner END, ''),
           x.line, coalesce(l.provider_reference, v.provider_reference, ''), coalesce(l.reference, v.operation_reference, ''),
           'exc_' || replace(x.id::text, '-', ''), x.since, x.at, coalesce(x.line, 0), x.id
      FROM (SELECT y.*, c.provider, c.name, c.mode
              FROM paystream.settlement_exception y
              JOIN paystream.settlement_act a ON a.merchant = y.merchant AND a.id = y.act AND a.pos <= as_of
              JOIN paystream.settlement_account c ON c.merchant = y.merchant AND c.account = y.account
              LEFT JOIN paystream.settlement_act z ON z.merchant = y.merchant AND z.id = y.ended_act
             WHERE y.merchant = of_merchant AND (z.id IS NULL OR z.pos > as_of) AND (of_mode IS NULL OR c.mode = of_mode)
               AND (first_day IS NULL OR y.at >= paystream.day_begins(first_day, named))
               AND (end_day IS NULL OR y.at < paystream.day_begins(end_day, named))
               AND (y.since, y.at, coalesce(y.line, 0), y.id)
                       > (coalesce(last_since, '-infinity'), coalesce(last_at, '-infinity'), coalesce(last_line, -1),
                          coalesce(last_id, '00000000-0000-0000-0000-000000000000'))
             ORDER BY y.since, y.at, coalesce(y.line, 0), y.id LIMIT most) x
      LEFT JOIN LATERAL (
           SELECT s.number, s.detail ->> 'owner' AS owner FROM paystream.settlement_step s
             JOIN paystream.settlement_act g ON g.merchant = s.merchant AND g.id = s.act AND g.pos <= as_of
            WHERE s.merchant = x.merchant AND s.exception = x.id AND s.kind = 'assigned' ORDER BY s.number DESC LIMIT 1) told ON true
      LEFT JOIN LATERAL (
           SELECT s.number, s.detail ->> 'was' AS was FROM paystream.settlement_step s
            WHERE s.merchant = x.merchant AND s.exception = x.id AND s.kind = 'assigned' ORDER BY s.number LIMIT 1) next ON true
      LEFT JOIN paystream.settlement_line l ON l.merchant = x.merchant AND l.file = x.file AND l.number = x.line
      LEFT JOIN paystream.movement v
        ON v.merchant = x.merchant AND v.stream = x.stream AND v.version = x.version AND v.number = x.number
     ORDER BY x.since, x.at, coalesce(x.line, 0), x.id;
END
$$;
