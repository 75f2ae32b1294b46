-- The report 'exceptions': what does not fit between books and files, the oldest first. Ages are counted to the newest event.
CREATE OR REPLACE FUNCTION paystream.report_exceptions(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false)
RETURNS TABLE (happened date, provider text, account text, mode text, class text, currency text, amount numeric, age int, owner text,
    line int, provider_reference text, reference text, exception text)
LANGUAGE sql STABLE AS $$
    SELECT e.happened, e.provider, e.account, e.mode, e.class, e.currency, e.amount, e.age, e.owner, e.line, e.provider_reference,
           e.reference, e.exception
      FROM paystream.exceptions_behind(of_merchant, zone, first_day, end_day, of_mode, as_of, NULL, NULL, NULL, NULL, NULL) e
     ORDER BY e.since, e.at, e.place, e.id
$$;
