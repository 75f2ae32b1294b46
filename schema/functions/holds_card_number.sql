-- Whether a text holds what looks like a card number: 14 to 19 digits that an issuer's number may begin with and that pass
-- Luhn, in one run or in groups as cards are printed, between what is neither a letter nor a digit.
--
-- It stops accidents before a row is written. Numbers that are written otherwise (other groups, other digits, encoded,
-- parted over members, of 13 digits) are left to the guard that looks at every command when it is taken.
CREATE OR REPLACE FUNCTION paystream.holds_card_number(body text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    printed CONSTANT text := '(?<![0-9A-Za-z_])(?:[2-6][0-9]{13,18}|[2-6][0-9]{3}([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{2,7}'
        '|3[0-9]{3}([ -])[0-9]{6}\2[0-9]{4,5})(?![0-9A-Za-z_])';
    place int := 1;
    found text;
    digits text;
BEGIN
    LOOP
        found := regexp_substr(body, printed, place);
        EXIT WHEN found IS NULL;
        digits := reverse(translate(found, ' -', ''));
        IF (SELECT sum(d.value / 10 + d.value % 10) % 10 = 0 AND count(DISTINCT d.digit) > 1
              FROM (SELECT n.digit, n.digit * CASE WHEN n.place % 2 = 0 THEN 2 ELSE 1 END AS value
                      FROM (SELECT o AS place, substr(digits, o, 1)::int AS digit
                              FROM generate_series(1, length(digits)) o) n) d) THEN
            RETURN true;
        END IF;
        place := regexp_instr(body, printed, place, 1, 1);
    END LOOP;
    RETURN false;
END
$$;
