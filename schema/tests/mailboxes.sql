-- Mailboxes and timers: one claimer, the order of arrival, nothing lost, nothing twice.
\ir fixtures/units.sql

-- Inputs wait in the order in which they came; a known one waits once.
DO $$
BEGIN
    ASSERT pg_temp.admit(pg_temp.id(1), pg_temp.id(102)), 'a new input';
    ASSERT pg_temp.admit(pg_temp.id(1), pg_temp.id(101)), 'another';
    ASSERT NOT pg_temp.admit(pg_temp.id(1), pg_temp.id(102)), 'a known one is skipped';
    ASSERT (SELECT array_agg(input ORDER BY pos) FROM paystream.undecided) = ARRAY[pg_temp.id(102), pg_temp.id(101)],
        'the order of arrival, not of names';
    ASSERT (SELECT count(*) = 1 FROM paystream.mail), 'one mailbox';
    -- In one call as well: the caller's order holds, though rows are locked in another.
    ASSERT (SELECT count(*) = 2 FROM paystream.admit('{1,1}', ARRAY[pg_temp.id(2), pg_temp.id(2)], '{1,1}',
        ARRAY[pg_temp.id(104), pg_temp.id(103)], '{1,1}', '{a,b}', ARRAY['{}', '{}']::json[],
        ARRAY['', '']::bytea[], '{now,now}'));
    ASSERT (SELECT array_agg(input ORDER BY pos) FROM paystream.undecided WHERE stream = pg_temp.id(2))
        = ARRAY[pg_temp.id(104), pg_temp.id(103)], 'the order of the call';
END
$$;

-- A claim is a lease by the server's clock; only its fence reads and gives back.
DO $$
DECLARE
    one record;
    two record;
    again record;
BEGIN
    SELECT * INTO STRICT one FROM pg_temp.claim_mail('a', 60000000) WHERE stream = pg_temp.id(1);
    ASSERT one.attempts = 0, 'nothing is held against it';
    ASSERT NOT EXISTS (SELECT FROM pg_temp.claim_mail('b', 60000000)), 'both are held';
    ASSERT (SELECT array_agg(id) FROM paystream.read_undecided('{1}', ARRAY[pg_temp.id(1)], ARRAY[one.fence], 10))
        = ARRAY[pg_temp.id(102), pg_temp.id(101)], 'the holder reads in order';
    ASSERT (SELECT array_agg(id) FROM paystream.read_undecided('{1}', ARRAY[pg_temp.id(1)], ARRAY[one.fence], 1))
        = ARRAY[pg_temp.id(102)], 'at most so many';

    -- The lease ends: the next claimer gets a later fence, and the old one is a stranger.
    UPDATE paystream.mail SET due = statement_timestamp() WHERE stream = pg_temp.id(1);
    SELECT * INTO STRICT again FROM pg_temp.claim_mail('b', 60000000);
    ASSERT again.fence > one.fence AND again.attempts = 1, format('claimed again: %s', again);
    ASSERT NOT EXISTS (SELECT FROM paystream.read_undecided('{1}', ARRAY[pg_temp.id(1)], ARRAY[one.fence], 10)),
        'a lost claim reads nothing';
    PERFORM paystream.release_mail('{1}', ARRAY[pg_temp.id(1)], ARRAY[one.fence], 0);
    ASSERT (SELECT due > statement_timestamp() FROM paystream.mail WHERE stream = pg_temp.id(1)),
        'a lost claim gives nothing back';
    ASSERT NOT paystream.quarantine_input(1, pg_temp.id(1), one.fence, pg_temp.id(102), 'stale'),
        'a lost claim moves nothing';
    PERFORM paystream.release_mail('{1}', ARRAY[pg_temp.id(1)], ARRAY[again.fence], 3600000000);
    ASSERT (SELECT due > statement_timestamp() + interval '59 minutes' AND owner IS NULL FROM paystream.mail
             WHERE stream = pg_temp.id(1)), 'given back for later';
    ASSERT NOT EXISTS (SELECT FROM pg_temp.claim_mail('a', 0)), 'not due yet';

    -- A claim gives back what its claimer still holds, and nothing that somebody else took since.
    ASSERT NOT EXISTS (
        SELECT FROM paystream.claim_mail('a', 60000000, '{1}', ARRAY[pg_temp.id(1)], ARRAY[one.fence])),
        'a lost claim gives nothing back here either';
    SELECT * INTO STRICT again FROM paystream.claim_mail('a', 60000000, '{1}', ARRAY[pg_temp.id(1)],
        ARRAY[again.fence]);
    ASSERT again.stream = pg_temp.id(1), 'given back, and due at once';
    ASSERT (SELECT count(*) = 4 FROM paystream.undecided), 'nothing is lost on the way';
END
$$;

-- What can't be decided makes way for what comes after it; progress leaves nothing held against the rest.
DO $$
DECLARE
    held bigint;
BEGIN
    UPDATE paystream.mail SET due = statement_timestamp() WHERE stream = pg_temp.id(1);
    SELECT fence INTO STRICT held FROM pg_temp.claim_mail('a', 60000000);
    PERFORM paystream.suspect_mail('{1,1}', ARRAY[pg_temp.id(1), pg_temp.id(1)], ARRAY[held, held - 1], '{3,9}');
    ASSERT NOT paystream.quarantine_input(1, pg_temp.id(1), held, pg_temp.id(777), 'unknown'), 'nothing of that name';
    ASSERT paystream.quarantine_input(1, pg_temp.id(1), held, pg_temp.id(102), 'why'), 'moved';
    ASSERT (SELECT (q.input, q.stream, q.attempts, q.reason) = (pg_temp.id(102), pg_temp.id(1), 3, 'why')
              FROM paystream.input_quarantine q), 'kept for an operator';
    ASSERT EXISTS (SELECT FROM paystream.input WHERE id = pg_temp.id(102)), 'the input itself stays';
    ASSERT NOT paystream.retry_input(1, pg_temp.id(101)), 'what is in no quarantine is not retried';
    ASSERT paystream.retry_input(1, pg_temp.id(102)) AND NOT paystream.retry_input(1, pg_temp.id(102)), 'once';
    ASSERT NOT EXISTS (SELECT FROM paystream.input_quarantine), 'and it is there no more';
    ASSERT pg_temp.id(102) = (SELECT input FROM paystream.undecided WHERE stream = pg_temp.id(1) ORDER BY pos LIMIT 1),
        'it is first again';
    ASSERT paystream.quarantine_input(1, pg_temp.id(1), held, pg_temp.id(102), 'why'), 'moved once more';
    ASSERT (SELECT array_agg(id) FROM paystream.read_undecided('{1}', ARRAY[pg_temp.id(1)], ARRAY[held], 10))
        = ARRAY[pg_temp.id(101)], 'the next one is first now';
    ASSERT (SELECT attempts = 0 FROM paystream.mail WHERE stream = pg_temp.id(1)), 'counted anew';
    PERFORM pg_temp.ends(0, pg_temp.id(1), pg_temp.id(101), 0, '{x}', fence => held);
    ASSERT NOT EXISTS (SELECT FROM paystream.mail WHERE stream = pg_temp.id(1)), 'an empty mailbox vanishes';
    ASSERT (SELECT count(*) = 2 FROM paystream.undecided WHERE stream = pg_temp.id(2)), 'others are left alone';
END
$$;

-- The claim goes round the merchants, whoever came first; each one's oldest come first.
DELETE FROM paystream.undecided; DELETE FROM paystream.mail;
CREATE FUNCTION pg_temp.wait(of_merchant int, streams int4range) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM (SELECT paystream.admit(array_agg(of_merchant), array_agg(pg_temp.id(n)), array_agg(1), array_agg(pg_temp.id(5000 + n)),
        array_agg(1), array_agg('test'::text), array_agg('{}'::json), array_agg('\x00'::bytea), array_agg(statement_timestamp()))
      FROM generate_series(lower(streams), upper(streams) - 1) n) a
$$;
CREATE FUNCTION pg_temp.served(after_merchant int) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(format('%s:%s', s.merchant, s.n), ' ' ORDER BY s.merchant) FROM (
        SELECT merchant, count(*) FROM paystream.claim_mail('a', 60000000, '{}', '{}', '{}', after_merchant) GROUP BY merchant
        ) s (merchant, n)
$$;
SELECT pg_temp.wait(1, '[1000,1300)'), pg_temp.wait(2, '[1300,1302)'), pg_temp.wait(3, '[1302,1450)');
UPDATE paystream.mail SET due = due - interval '1 hour' WHERE merchant = 1;
DO $$
BEGIN
    ASSERT pg_temp.served(0) = '1:22 2:2 3:40', 'what one leaves the others get';
    ASSERT pg_temp.served(1) = '1:32 3:32', 'whoever has nothing takes no part';
    UPDATE paystream.mail SET due = statement_timestamp() + interval '1 hour' WHERE merchant <> 1;
    ASSERT pg_temp.served(2) = '1:64', 'a page at most, and nothing that is not due';
END
$$;

-- Where more is due than a page holds, timers go round the merchants, whoever's are oldest; also those of a merchant's own clock.
CREATE FUNCTION pg_temp.timers(most int, after_merchant int) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(format('%s:%s', s.merchant, s.n), ' ' ORDER BY s.merchant) FROM (
        SELECT merchant, count(DISTINCT (stream, clock)) FROM paystream.due_timers(most, after_merchant) GROUP BY merchant) s (merchant, n)
$$;
INSERT INTO paystream.merchant (id, name) OVERRIDING SYSTEM VALUE VALUES (4, 'own') ON CONFLICT DO NOTHING;
INSERT INTO paystream.merchant_clock (merchant, at) VALUES (4, '2040-01-01');
INSERT INTO paystream.due (machine, business, merchant, stream_kind, stream, clocked)
    SELECT '2020-01-01'::timestamptz + g * interval '1 second', NULL::timestamptz, 1, 1, pg_temp.id(9000 + g), false FROM generate_series(1, 300) g
    UNION ALL SELECT '2021-01-01', '2021-01-01', 2, 1, pg_temp.id(9500), false
    UNION ALL SELECT 'infinity', '2021-01-01', 3, 3, pg_temp.id(9501), false
    UNION ALL SELECT NULL, '2039-01-01', 4, 3, pg_temp.id(9600 + g), true FROM generate_series(1, 50) g
    UNION ALL SELECT 'infinity', 'infinity', 5, 3, pg_temp.id(9700), false;
DO $$
BEGIN
    ASSERT pg_temp.timers(20, 0) = '1:5 2:2 3:1 4:12', 'what one leaves the others get: ' || pg_temp.timers(20, 0);
    ASSERT pg_temp.timers(200, 0) = '1:147 2:2 3:1 4:50', 'a whole page';
    ASSERT pg_temp.timers(1, 2) = '3:1' AND pg_temp.timers(1, 4) = '1:1', 'behind the one that was served last';
    ASSERT (SELECT array_agg(at ORDER BY at) FROM paystream.due_timers(2, 4))
        = ARRAY['2020-01-01 00:00:01', '2021-01-01']::timestamptz[], 'the oldest of each';
END
$$;
DELETE FROM paystream.due; DELETE FROM paystream.merchant_clock;

-- A timer fires once, only for the moment that is armed, and each clock by itself.
INSERT INTO paystream.due (machine, business, merchant, stream_kind, stream)
    VALUES ('2020-01-01', '2020-01-02', 1, 1, pg_temp.id(5)), ('infinity', NULL, 1, 1, pg_temp.id(6));

CREATE FUNCTION pg_temp.fire(clock int, moment timestamptz, input int) RETURNS int LANGUAGE sql AS $$
    SELECT paystream.fire_timers(ARRAY[clock], ARRAY[moment], '{1}', ARRAY[pg_temp.id(5)], '{1}',
        ARRAY[pg_temp.id(input)], '{5}', '{timer}', ARRAY['{}']::json[], ARRAY['']::bytea[], '{now}')
$$;

DO $$
BEGIN
    ASSERT (SELECT array_agg((stream, clock)::text ORDER BY clock) FROM paystream.due_timers())
        = ARRAY[(pg_temp.id(5), 0)::text, (pg_temp.id(5), 1)::text], 'both clocks of what is due, and nothing else';
    ASSERT pg_temp.fire(0, '2019-01-01', 300) = 0, 'a moment that is not armed any more';
    ASSERT NOT EXISTS (SELECT FROM paystream.input WHERE id = pg_temp.id(300)), 'leaves no input';
    ASSERT pg_temp.fire(0, '2020-01-01', 301) = 1, 'fired';
    ASSERT (SELECT (machine, business) IS NOT DISTINCT FROM (NULL::timestamptz, '2020-01-02'::timestamptz)
              FROM paystream.due WHERE stream = pg_temp.id(5)), 'the other clock stays armed';
    ASSERT pg_temp.fire(0, '2020-01-01', 301) = 0, 'once';
    ASSERT pg_temp.fire(1, '2020-01-02', 302) = 1, 'the other clock';
    ASSERT NOT EXISTS (SELECT FROM paystream.due WHERE stream = pg_temp.id(5)), 'nothing is armed any more';
    ASSERT (SELECT array_agg(input ORDER BY pos) FROM paystream.undecided WHERE stream = pg_temp.id(5))
        = ARRAY[pg_temp.id(301), pg_temp.id(302)], 'both wait to be decided';
END
$$;
