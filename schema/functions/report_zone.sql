-- The zone in which the days of a merchant's reports begin: the one that is asked for, by its name in the IANA database, or the
-- merchant's own. Abbreviations and rules such as `UTC+3`, which PostgreSQL would take (POSIX counts them westwards), are refused, and
-- so are names that stand for something else on each machine, or for nothing.
CREATE OR REPLACE FUNCTION paystream.report_zone(of_merchant int, of_zone text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF of_zone IS NULL THEN
        RETURN (SELECT m.zone FROM paystream.merchant m WHERE m.id = of_merchant);
    END IF;
    -- PostgreSQL reads its list from hundreds of files each time: what it held at the migration is asked first.
    IF EXISTS (SELECT FROM paystream.known_zone k WHERE k.name = of_zone) THEN
        RETURN of_zone;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_timezone_names z WHERE z.name = of_zone)
        OR of_zone ~ '(^|/)(localtime|posixrules|Factory)$' THEN
        RAISE EXCEPTION 'there is no time zone "%"', of_zone
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Zones are named as in Europe/Kyiv.';
    END IF;
    RETURN of_zone;
END
$$;
