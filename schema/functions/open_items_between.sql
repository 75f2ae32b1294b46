-- The open items of a position that were opened behind another one, so many behind the last one that is known, in the order in which they
-- were opened. `number` tells apart what is of one position.
CREATE OR REPLACE FUNCTION paystream.open_items_between(
    of_merchant int, zone text, first_day date, end_day date, of_mode text, since bigint, as_of bigint, last_at timestamptz,
    last_position bigint, last_number bigint, most int)
RETURNS TABLE ("position" bigint, at text, item text, provider text, account text, mode text, currency text, age text, amount numeric, id text,
    part text, known_at timestamptz, number bigint)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
    named CONSTANT text := paystream.report_zone(of_merchant, open_items_between.zone);
    today CONSTANT date := paystream.day_at(as_of, named);
BEGIN
    RETURN QUERY
    SELECT o.pos, to_char(o.known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), o.item, o.provider, o.account, o.mode, o.currency,
           paystream.open_age(today, o.known_at, named), o.amount,
           CASE o.stream_kind WHEN 7 THEN 'trf_' WHEN 1 THEN 'pay_' WHEN 6 THEN 'bat_' ELSE 'sch_' END || replace(o.id::text, '-', ''), o.part, o.known_at, o.number
      FROM paystream.open_items(
          of_merchant, of_mode, coalesce(paystream.day_begins(first_day, named), '-infinity'),
          coalesce(paystream.day_begins(end_day, named), 'infinity'), since, as_of, last_at, last_position, last_number, most) o
     ORDER BY o.known_at, o.pos, o.number;
END
$$;
