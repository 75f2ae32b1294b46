-- Closes a month of a merchant's books as of the movements that are known. Answers why it can't be, or NULL: `notOver` while a day of it may still grow,
-- `aside` while streams are set aside, `closed` where it is closed already, `notNext` where it does not follow the last one that is (`next` does).
CREATE OR REPLACE FUNCTION paystream.close_period(
    of_merchant int, of_month date, by text, of_note text, OUT refusal text, OUT next date)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    named text;
    reached bigint;
    open_day date;
    aside bigint;
BEGIN
    PERFORM FROM paystream.merchant m WHERE m.id = of_merchant FOR UPDATE;
    named := paystream.books_zone(of_merchant);
    SELECT (max(c.month) + interval '1 month')::date INTO next FROM paystream.closed_period c WHERE c.merchant = of_merchant;
    IF EXISTS (SELECT FROM paystream.closed_period c WHERE c.merchant = of_merchant AND c.month = of_month) THEN
        refusal := 'closed';
    ELSIF of_month <> next THEN
        refusal := 'notNext';
    END IF;
    IF refusal IS NOT NULL THEN
        RETURN;
    END IF;
    reached := paystream.books_position();
    SELECT s.open_day, s.aside INTO open_day, aside FROM paystream.books_standing(of_merchant, named, reached) s;
    IF aside > 0 THEN
        refusal := 'aside';
    ELSIF open_day IS NULL OR open_day < of_month + interval '1 month' THEN
        refusal := 'notOver';
    ELSE
        INSERT INTO paystream.closed_period (merchant, month, zone, pos, closed_by, note)
        VALUES (of_merchant, of_month, named, reached, by, of_note);
    END IF;
END
$$;
