-- The report 'exceptions': what does not fit between books and files, the oldest first. Ages are counted to the newest event.
CREATE OR REPLACE FUNCTION paystream.report_exceptions(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (happened date, provider text, account text, mode text, class text, currency text, amount numeric, age int, owner text,
    line int, provider_reference text, reference text, exception text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, report_exceptions.zone);
    newest timestamptz := (SELECT max(a.at) FROM paystream.settlement_act a WHERE a.merchant = of_merchant AND a.pos <= as_of);
BEGIN
    newest := greatest(newest, (SELECT e.at FROM paystream.event e WHERE e.pos <= as_of ORDER BY e.pos DESC LIMIT 1));
    RETURN QUERY
    SELECT (x.at AT TIME ZONE named)::date, c.provider, c.name, c.mode, x.class, x.currency, x.amount::numeric,
           (newest AT TIME ZONE named)::date - (x.since AT TIME ZONE named)::date,
           coalesce((SELECT s.detail ->> 'owner' FROM paystream.settlement_step s
                       JOIN paystream.settlement_act g ON g.merchant = s.merchant AND g.id = s.act AND g.pos <= as_of
                      WHERE s.merchant = x.merchant AND s.exception = x.id AND s.kind = 'assigned' ORDER BY s.number DESC LIMIT 1),
               -- Taken over from the exception that this one follows.
               CASE WHEN NOT EXISTS (SELECT FROM paystream.settlement_step s
                                      WHERE s.merchant = x.merchant AND s.exception = x.id AND s.kind = 'assigned')
                    THEN x.owner END, ''),
           x.line, coalesce(l.provider_reference, v.provider_reference, ''), coalesce(l.reference, v.operation_reference, ''),
           'exc_' || replace(x.id::text, '-', '')
      FROM paystream.settlement_exception x
      JOIN paystream.settlement_act a ON a.merchant = x.merchant AND a.id = x.act AND a.pos <= as_of
      JOIN paystream.settlement_account c ON c.merchant = x.merchant AND c.account = x.account
      LEFT JOIN paystream.settlement_act z ON z.merchant = x.merchant AND z.id = x.ended_act
      LEFT JOIN paystream.settlement_line l ON l.merchant = x.merchant AND l.file = x.file AND l.number = x.line
      LEFT JOIN paystream.movement v
        ON v.merchant = x.merchant AND v.stream = x.stream AND v.version = x.version AND v.number = x.number
     WHERE x.merchant = of_merchant AND (z.id IS NULL OR z.pos > as_of) AND (of_mode IS NULL OR c.mode = of_mode)
       AND (first_day IS NULL OR x.at >= first_day::timestamp AT TIME ZONE named)
       AND (end_day IS NULL OR x.at < end_day::timestamp AT TIME ZONE named)
     ORDER BY x.since, x.at, x.class, l.number, x.id;
END
$$;
