-- Days of reports: where they begin, as of which moment, and that a day which is over stays what it was.
\ir fixtures/settlement.sql

INSERT INTO paystream.merchant (id, name, zone) OVERRIDING SYSTEM VALUE VALUES (1, 'shop', 'UTC'), (2, 'neighbour', 'UTC'), (3, 'files', 'UTC');

-- A day begins where the day before ends, in every zone and whatever its clocks do.
DO $$
DECLARE
    wrong text;
BEGIN
    SELECT string_agg(DISTINCT z.name, ', ') INTO wrong
      FROM paystream.known_zone z
      CROSS JOIN generate_series('2024-01-01'::date, '2027-12-31', '1 day') AS d (day),
           LATERAL (SELECT paystream.day_begins(d.day::date, z.name) AS at) b
     -- A day that is left out (of the date line) begins with the next one.
     WHERE (b.at AT TIME ZONE z.name)::date < d.day::date OR ((b.at - interval '1 microsecond') AT TIME ZONE z.name)::date >= d.day::date;
    ASSERT wrong IS NULL, wrong;
    ASSERT (SELECT count(*) > 300 FROM paystream.known_zone);
    ASSERT paystream.day_begins('2026-10-25', 'Atlantic/Azores') = '2026-10-25T00:00:00Z', 'the first midnight of two';
    ASSERT paystream.day_begins('2026-10-25', 'Europe/Berlin') = '2026-10-24T22:00:00Z';
END
$$;

-- What happens between two midnights of a day is of that day alone, however the days are read.
DO $$
DECLARE
    told text;
BEGIN
    PERFORM pg_temp.move(1, 'captured', 100, 'a', at => '2026-10-25T00:30:00Z'), pg_temp.move(2, 'captured', 1000, 'b', at => '2026-10-25T12:00:00Z');
    SELECT concat_ws(' ', (SELECT sum(t.captured) FROM paystream.report_turnover(1, 'Atlantic/Azores', '2026-10-25', NULL, by_effective => true) t),
        (SELECT count(*) FROM paystream.report_turnover(1, 'Atlantic/Azores', NULL, '2026-10-25', by_effective => true) t)) INTO told;
    ASSERT told = '1100 0', told;
    DELETE FROM paystream.movement;
END
$$;

-- A moment of the log is before the first event of anybody that came later, so that ages are counted to it whenever it is asked for.
CREATE FUNCTION pg_temp.event(at int, of_merchant int, moment timestamptz) RETURNS void LANGUAGE sql AS $$
    INSERT INTO paystream.event (pos, at, merchant, ver, stream_kind, stream, cause, type, data)
    VALUES (at, moment, of_merchant, 1, 1, pg_temp.id(at), pg_temp.id(at), 'test', '{}')
$$;
CREATE FUNCTION pg_temp.held(at int, of_merchant int, moment timestamptz) RETURNS void LANGUAGE sql AS $$
    SELECT pg_temp.event(at, of_merchant, moment);
    INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency, items, effective_at,
        known_at, account, account_name, account_mode, provider, evidence, commanded, cause)
    VALUES (of_merchant, pg_temp.id(at), 1, 0, 1, at, 'captured', 1, 'EUR', 1, moment, moment, pg_temp.id(900), 'main', 'live', 'ecommpay', 'provider',
        true, pg_temp.id(at))
$$;
DO $$
DECLARE
    moment CONSTANT timestamptz := '2026-10-31T23:59:59Z';
BEGIN
    PERFORM pg_temp.event(n, 2, moment - interval '3 days' + n * interval '1 second') FROM generate_series(1, 3000) n;
    PERFORM pg_temp.held(3001, 1, moment);
    ASSERT paystream.position_at(1, moment, 3001) = 3001, 'nothing is later';
    ASSERT paystream.position_at(1, moment + interval '1 second', 3050) = 3050, 'nor is anything of which nobody tells';
    PERFORM pg_temp.event(n, 2, moment + n * interval '1 second') FROM generate_series(3002, 6000) n;
    ASSERT paystream.position_at(1, moment, 6000) = 3001, 'anybody''s next event is later';
    ASSERT paystream.day_at(paystream.position_at(1, moment, 6000), 'UTC') = '2026-10-31';
    ASSERT paystream.position_at(1, moment + interval '4000 seconds', 6000) = 4000, 'in the middle';
    ASSERT paystream.position_at(1, moment + interval '4000 seconds', 3500) = 3500, 'no further than there is';
    ASSERT paystream.position_at(1, moment - interval '1 year', 6000) = 0, 'before all';
    ASSERT paystream.position_at(1, 'infinity', 6000) = 6000;
    -- A place is taken a little later than its time.
    PERFORM pg_temp.event(7001, 2, '2026-12-01T00:00:00.1Z'), pg_temp.held(7002, 1, '2026-11-30T23:59:59.9Z');
    ASSERT paystream.position_at(1, '2026-12-01', 7002) = 7002, 'the merchant''s own of that moment is in';
    ASSERT paystream.position_at(2, '2026-12-01', 7002) = 7000;
    INSERT INTO paystream.settlement_act (merchant, id, pos, at, actor, what) VALUES (1, pg_temp.id(1), 3500, moment + interval '4000 seconds', 'anna', 'import');
    ASSERT paystream.position_at(1, moment + interval '3900 seconds', 7002) = 3499, 'and no act that was later';
    -- A day is over a minute behind its end.
    ASSERT (SELECT s.open_day = '2026-11-30' FROM paystream.books_standing(1, 'UTC', 7001) s);
    -- Whose stream was set aside later is not aside as of now.
    INSERT INTO paystream.view_quarantine (view, merchant, stream, stream_kind, pos, reason) VALUES ('movement', 1, pg_temp.id(3001), 1, 7001, 'test');
    ASSERT (SELECT s.aside = 0 FROM paystream.books_standing(1, 'UTC', 7001) s);
    ASSERT (SELECT (s.aside, s.open_day) = (1, '2026-10-31') FROM paystream.books_standing(1, 'UTC', 7002) s);
    DELETE FROM paystream.movement;
    DELETE FROM paystream.settlement_act;
END
$$;

-- What the lines of files come to on a day that is over stays that, though a correction takes some of them off.
DO $$
DECLARE
    told text;
BEGIN
    PERFORM pg_temp.filed(300, ARRAY[('payout', 10000, 'P', NULL, NULL, NULL), ('captured', 70, 'x', NULL, NULL, NULL)]::pg_temp.line[], of_merchant => 3);
    UPDATE paystream.settlement_act a SET at = '2026-11-01T10:00:00Z' WHERE a.merchant = 3;
    PERFORM pg_temp.filed(301, ARRAY[('payout', 11000, 'P', NULL, NULL, NULL), ('captured', 70, 'x', NULL, NULL, NULL)]::pg_temp.line[], of_merchant => 3,
        corrects => pg_temp.id(300));
    UPDATE paystream.settlement_act a SET at = '2026-11-05T10:00:00Z' WHERE a.merchant = 3 AND a.id = pg_temp.id(301);
    SELECT string_agg(concat_ws(' ', r.day, r.payouts, r.filed), ', ' ORDER BY r.day) INTO told FROM paystream.report_settlement(3, 'UTC') r;
    ASSERT told = '2026-11-01 10000 -9930, 2026-11-05 1000 -1000', told;
    SELECT string_agg(concat_ws(' ', r.day, r.payouts, r.filed), ', ' ORDER BY r.day) INTO told
      FROM paystream.report_settlement(3, 'UTC', '2026-11-05', '2026-11-06') r;
    ASSERT told = '2026-11-05 1000 -1000', told;
    SELECT string_agg(concat_ws(' ', r.day, r.payouts, r.filed), ', ' ORDER BY r.day) INTO told
      FROM paystream.report_settlement(3, 'UTC', by_effective => true) r;
    ASSERT told = '2026-11-20 11000 -10930', told;
END
$$;
