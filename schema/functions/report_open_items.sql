-- The report 'open-items': money that waits for its end as of a position, by age: holds, disputes, and operations whose outcome nobody knows.
-- Days are those on which it was opened. `summed` is what other days come to, rows of this report, which these are added to.
CREATE OR REPLACE FUNCTION paystream.report_open_items(
    of_merchant int, zone text DEFAULT NULL, first_day date DEFAULT NULL, end_day date DEFAULT NULL, of_mode text DEFAULT 'live',
    as_of bigint DEFAULT 9223372036854775807, by_effective boolean DEFAULT false, summed json DEFAULT NULL)
RETURNS TABLE (item text, provider text, account text, mode text, currency text, age text, items bigint, amount numeric)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, report_open_items.zone);
    today CONSTANT date := paystream.day_at(as_of, named);
BEGIN
    RETURN QUERY
    SELECT u.item, u.provider, u.account, u.mode, u.currency, u.age, sum(u.items)::bigint, sum(u.amount)
      FROM (SELECT o.item, o.provider, o.account, o.mode, o.currency, paystream.open_age(today, o.known_at, named) AS age, 1 AS items, o.amount
              FROM paystream.open_items(
                  of_merchant, of_mode, coalesce(paystream.day_begins(first_day, named), '-infinity'),
                  coalesce(paystream.day_begins(end_day, named), 'infinity'), -1, as_of) o
            UNION ALL
            SELECT s.item, s.provider, s.account, s.mode, s.currency, s.age, s.items, s.amount
              FROM json_to_recordset(summed) AS s (item text, provider text, account text, mode text, currency text, age text, items bigint,
                   amount numeric)) u
     GROUP BY 1, 2, 3, 4, 5, 6
     ORDER BY 1, 2, 3, 4, 5, array_position(ARRAY['0-1', '2-3', '4-7', '8-30', '31+'], u.age);
END
$$;
