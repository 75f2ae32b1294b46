-- Effects: licensed, claimed, marked as sending, observed; what recovery gives back, and what revoking takes back.
\ir fixtures/units.sql

-- Changes one effect of stream 1 by a decision; `change` as in `change_effects`.
CREATE FUNCTION pg_temp.change(
    change int, number int, ordinal int DEFAULT 1, ready_in interval DEFAULT '0',
    send_within interval DEFAULT '10 minutes')
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    base int := coalesce((SELECT ver FROM paystream.stream WHERE id = pg_temp.id(1)), 0);
    seen int;
BEGIN
    SELECT d.outcome INTO seen FROM pg_temp.decide(pg_temp.id(1), gen_random_uuid(), base, '{x}', change => change,
        effect => pg_temp.id(number), ordinal => ordinal, ready_in => ready_in, send_within => send_within) d;
    ASSERT seen = 0, format('the change was committed, not %s', seen);
END
$$;

CREATE FUNCTION pg_temp.state(number int) RETURNS smallint LANGUAGE sql AS
    $$ SELECT state FROM paystream.effect WHERE id = pg_temp.id(number) $$;

CREATE FUNCTION pg_temp.mark(number int, fence bigint) RETURNS boolean LANGUAGE sql AS $$
    SELECT EXISTS (SELECT FROM paystream.mark_sending('{1}', ARRAY[pg_temp.id(number)], ARRAY[fence], 5000000))
$$;

-- Observes under an input of stream 2, so that stream 1 stays free for changes.
CREATE FUNCTION pg_temp.observe(number int, fence bigint, input int, name text DEFAULT 'effect.answered')
RETURNS void LANGUAGE sql AS $$
    SELECT paystream.observe('{1}', ARRAY[pg_temp.id(number)], ARRAY[fence], '{1}', ARRAY[pg_temp.id(2)], '{1}',
        ARRAY[pg_temp.id(input)], '{2}', ARRAY[name], ARRAY['{}']::json[], ARRAY['']::bytea[], '{now}')
$$;

-- What a test makes up of a living claim: its lease ended so long ago.
CREATE FUNCTION pg_temp.end_lease(number int, ago interval) RETURNS void LANGUAGE sql AS
    $$ UPDATE paystream.effect SET lease_until = statement_timestamp() - ago WHERE id = pg_temp.id(number) $$;

-- Only what is ready and inside its window is claimed, by one sender.
SELECT pg_temp.change(0, 1);
SELECT pg_temp.change(0, 2, ready_in => '1 hour', send_within => '2 hours');
SELECT pg_temp.change(0, 3, ready_in => '-1 hour', send_within => '-1 second');
DO $$
DECLARE
    mine record;
BEGIN
    SELECT * INTO STRICT mine FROM paystream.claim_effects('a', 15000000);
    ASSERT (mine.id, mine.ordinal, mine.template) = (pg_temp.id(1), 1, '\x01'::bytea), format('claimed: %s', mine);
    ASSERT NOT EXISTS (SELECT FROM paystream.claim_effects('b', 15000000)), 'nobody else gets it';
    ASSERT pg_temp.state(1) = 1 AND pg_temp.state(2) = 0 AND pg_temp.state(3) = 0, 'the others wait';
    ASSERT NOT EXISTS (SELECT FROM paystream.lost_effects(0)), 'a claim proves nothing';
    ASSERT NOT pg_temp.mark(1, mine.fence - 1), 'an older claim marks nothing';
    ASSERT pg_temp.mark(1, mine.fence) AND pg_temp.mark(1, mine.fence), 'the mark is taken, and again when asked again';
    ASSERT (SELECT lease_until >= statement_timestamp() + interval '6 seconds' FROM paystream.effect
             WHERE id = pg_temp.id(1)), 'a mark holds for the deadline and the margin';
    ASSERT paystream.reclaim_effects() = 0, 'what may be on the wire is never given back';
    ASSERT (SELECT (count(*), min(ordinal), min(fence)) = (1, 1, mine.fence) FROM paystream.sending_mark
             WHERE effect = pg_temp.id(1)), 'one mark stays for one licence, however often it was asked for';
END
$$;

-- What was marked and not observed is lost only after its lease and a grace.
DO $$
DECLARE
    held bigint := (SELECT fence FROM paystream.effect WHERE id = pg_temp.id(1));
BEGIN
    PERFORM pg_temp.end_lease(1, '3 seconds');
    ASSERT NOT EXISTS (SELECT FROM paystream.lost_effects(5000000)), 'within its grace';
    ASSERT (SELECT (l.id, l.fence, l.ordinal) = (pg_temp.id(1), held, 1) FROM paystream.lost_effects(2000000) l),
        'after its grace';
    ASSERT paystream.reclaim_effects() = 0, 'not even then';
    ASSERT NOT pg_temp.mark(1, held), 'a mark after the lease is refused';
    UPDATE paystream.effect SET send_before = statement_timestamp() WHERE id = pg_temp.id(1);
    ASSERT NOT EXISTS (SELECT FROM paystream.expired_effects() WHERE id = pg_temp.id(1)), 'lost, and not unsent';

    PERFORM pg_temp.observe(1, held - 1, 201);
    ASSERT pg_temp.state(1) = 2, 'an observation under another fence leaves the row';
    ASSERT EXISTS (SELECT FROM paystream.undecided WHERE input = pg_temp.id(201)), 'and is admitted all the same';
    PERFORM pg_temp.observe(1, held, 202);
    PERFORM pg_temp.observe(1, held, 202);
    ASSERT pg_temp.state(1) = 3, 'observed';
    ASSERT (SELECT count(*) = 2 FROM paystream.undecided), 'the same answer is one input';
    ASSERT NOT EXISTS (SELECT FROM paystream.lost_effects(0)), 'what was observed is not lost';
END
$$;

-- A claim that was never marked is given back when its lease ends; the old claimer sends nothing.
SELECT pg_temp.change(2, 1);
SELECT pg_temp.change(0, 4);
DO $$
DECLARE
    old bigint;
    new bigint;
BEGIN
    ASSERT pg_temp.state(1) IS NULL, 'a removed row is gone';
    SELECT fence INTO STRICT old FROM paystream.claim_effects('a', 15000000);
    ASSERT paystream.reclaim_effects() = 0, 'not before its lease ends';
    PERFORM pg_temp.end_lease(4, '1 second');
    ASSERT NOT pg_temp.mark(4, old), 'a claim whose lease ended marks nothing';
    ASSERT paystream.reclaim_effects() = 1, 'given back';
    SELECT fence INTO STRICT new FROM paystream.claim_effects('b', 15000000);
    ASSERT new > old AND NOT pg_temp.mark(4, old) AND pg_temp.mark(4, new), 'only the new claimer may send';
    PERFORM pg_temp.observe(4, old, 210, 'effect.not_sent');
    ASSERT NOT EXISTS (SELECT FROM paystream.input WHERE id = pg_temp.id(210)), 'the old one has no say in what left';
    ASSERT pg_temp.state(4) = 2, 'and moves no row';
END
$$;

-- Another licence: the same row and template under the next number, out of reach of older claims.
DO $$
DECLARE
    old bigint := (SELECT fence FROM paystream.effect WHERE id = pg_temp.id(4));
    mine record;
BEGIN
    PERFORM pg_temp.change(1, 4, ordinal => 2);
    PERFORM pg_temp.observe(4, old, 203);
    ASSERT pg_temp.state(4) = 0 AND NOT pg_temp.mark(4, old), 'what concerns the old licence moves nothing';
    SELECT * INTO STRICT mine FROM paystream.claim_effects('a', 15000000);
    ASSERT (mine.id, mine.ordinal, mine.template) = (pg_temp.id(4), 2, '\x01'::bytea), format('claimed: %s', mine);
END
$$;

-- Revoked while it waits, also for a moment to come: it leaves no more, and its expiry says so.
SELECT pg_temp.change(3, 2);
DO $$
BEGIN
    ASSERT (SELECT array_agg(id ORDER BY id) FROM paystream.expired_effects()) = ARRAY[pg_temp.id(2), pg_temp.id(3)],
        'the revoked one and the one whose window closed by itself';
    ASSERT NOT EXISTS (SELECT FROM paystream.claim_effects('b', 15000000)), 'neither is claimed';
    PERFORM pg_temp.observe(2, fence - 1, 211, 'effect.not_sent') FROM paystream.expired_effects() WHERE id = pg_temp.id(2);
    ASSERT NOT EXISTS (SELECT FROM paystream.input WHERE id = pg_temp.id(211)), 'told under the newest fence alone';
    PERFORM pg_temp.observe(2, fence, 204, 'effect.not_sent') FROM paystream.expired_effects() WHERE id = pg_temp.id(2);
    ASSERT (SELECT array_agg(id) FROM paystream.expired_effects()) = ARRAY[pg_temp.id(3)], 'told once';
END
$$;

-- Revoked while it is claimed: the claimer is too late. What expired under a living claim is left to the claimer.
DO $$
DECLARE
    held bigint := (SELECT fence FROM paystream.effect WHERE id = pg_temp.id(4));
BEGIN
    UPDATE paystream.effect SET send_before = statement_timestamp() WHERE id = pg_temp.id(4);
    ASSERT NOT EXISTS (SELECT FROM paystream.expired_effects() WHERE id = pg_temp.id(4)), 'its claimer will say';
    ASSERT NOT pg_temp.mark(4, held), 'past its window nothing is marked';
    PERFORM pg_temp.change(3, 4);
    ASSERT EXISTS (SELECT FROM paystream.expired_effects() WHERE id = pg_temp.id(4)), 'taken from its claimer';
    ASSERT NOT pg_temp.mark(4, held), 'the claimer sends nothing';
END
$$;

-- Revoked while it is being sent: it stays as it is, its own observation tells what became of it.
SELECT pg_temp.change(0, 5);
DO $$
DECLARE
    mine record;
    before paystream.effect;
BEGIN
    SELECT * INTO STRICT mine FROM paystream.claim_effects('a', 15000000);
    ASSERT pg_temp.mark(5, mine.fence);
    SELECT * INTO before FROM paystream.effect WHERE id = pg_temp.id(5);
    PERFORM pg_temp.change(3, 5);
    ASSERT (SELECT e = before FROM paystream.effect e WHERE id = pg_temp.id(5)), 'nothing of it changes';
    ASSERT NOT EXISTS (SELECT FROM paystream.expired_effects() WHERE id = pg_temp.id(5)), 'it is not called unsent';
    PERFORM pg_temp.observe(5, mine.fence, 205);
    ASSERT pg_temp.state(5) = 3, 'its answer is taken';
    ASSERT NOT pg_temp.mark(5, mine.fence), 'what was observed is not sent again';
    PERFORM pg_temp.change(3, 5);
    ASSERT pg_temp.state(5) = 3, 'what was observed stays observed';
END
$$;

-- A claim goes round the accounts: each gets its share, an account's oldest come first, and its room bounds it.
DELETE FROM paystream.effect;
CREATE FUNCTION pg_temp.ready(of_account int, numbers int4range) RETURNS void LANGUAGE sql AS $$
    INSERT INTO paystream.effect (not_before, send_before, lease_until, deadline_us, merchant, ordinal, stream_kind,
        id, stream, account, template)
    SELECT statement_timestamp() + (n - 1000) * interval '1 second', statement_timestamp() + interval '1 hour',
           statement_timestamp(), 1000, 1, 1, 1, pg_temp.id(n), pg_temp.id(1), pg_temp.id(of_account), '\x00'
      FROM generate_series(lower(numbers), upper(numbers) - 1) n
$$;
-- How many of each account a claim got.
CREATE FUNCTION pg_temp.got(most int, room int, full_accounts int[] DEFAULT '{}', rooms int[] DEFAULT '{}',
    after int DEFAULT 0, full_merchants int[] DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(format('%s×%s', n, right(a::text, 3)), ' ' ORDER BY a) FROM (
        SELECT account, count(*) FROM paystream.claim_effects('a', 15000000, most, room,
            ARRAY(SELECT pg_temp.id(f) FROM unnest(full_accounts) f), rooms, pg_temp.id(after), full_merchants) GROUP BY account) c (a, n)
$$;
SELECT pg_temp.ready(901, '[1,61)'), pg_temp.ready(902, '[501,504)'), pg_temp.ready(903, '[601,602)');
DO $$
BEGIN
    ASSERT pg_temp.got(20, 20) = '16×901 3×902 1×903', 'who came first does not get all';
    ASSERT (SELECT array_agg(id ORDER BY id) = ARRAY(SELECT pg_temp.id(n) FROM generate_series(1, 16) n)
              FROM paystream.effect WHERE state = 1 AND account = pg_temp.id(901)), 'the oldest of an account';
    PERFORM pg_temp.ready(902, '[510,560)'), pg_temp.ready(903, '[610,660)');
    ASSERT pg_temp.got(20, 20, '{901}', '{2}') = '2×901 9×902 9×903', 'one has no more room than two';
    ASSERT pg_temp.got(20, 20, '{901,903}', '{0,0}') = '20×902', 'who has no room is passed over';
    ASSERT pg_temp.got(20, 3) = '3×901 3×902 3×903', 'anybody has so much room';
    ASSERT pg_temp.got(4, 20) = '2×901 1×902 1×903', 'so many in all';
    ASSERT pg_temp.got(1, 20, after => 901) = '1×902' AND pg_temp.got(1, 20, after => 902) = '1×903'
       AND pg_temp.got(1, 20, after => 903) = '1×901', 'the round goes on behind the last';
    ASSERT pg_temp.got(20, 20, full_merchants => '{1}') IS NULL, 'nothing of a merchant that has as much as is free';
    ASSERT pg_temp.got(1, 20, after => 903, full_merchants => '{2}') = '1×901', 'and of any other one';
    ASSERT pg_temp.got(0, 20) IS NULL AND pg_temp.got(100, 100) LIKE '%×901%', 'a page at most';
END
$$;

-- A decision takes the message that its input answers for answered, under the claim that it was sent with.
SELECT pg_temp.change(0, 800);
DO $$
DECLARE
    held bigint;
    base CONSTANT int := (SELECT ver FROM paystream.stream WHERE id = pg_temp.id(1));
BEGIN
    UPDATE paystream.effect SET state = 2 WHERE id = pg_temp.id(800) RETURNING fence INTO held;
    ASSERT (SELECT outcome = 0 FROM pg_temp.decide(pg_temp.id(1), gen_random_uuid(), base, '{x}', change => 4,
        effect => pg_temp.id(800), claim => held - 1)), 'what comes from an older claim is written all the same';
    ASSERT pg_temp.state(800) = 2, 'and leaves the row';
    ASSERT (SELECT outcome = 2 FROM pg_temp.decide(pg_temp.id(1), gen_random_uuid(), base, '{x}', change => 4,
        effect => pg_temp.id(800), claim => held)), 'a decision on an old version';
    ASSERT pg_temp.state(800) = 2, 'changes nothing';
    ASSERT (SELECT outcome = 0 FROM pg_temp.decide(pg_temp.id(1), gen_random_uuid(), base + 1, '{x}', change => 4,
        effect => pg_temp.id(800), claim => held));
    ASSERT pg_temp.state(800) = 3, 'answered';
    ASSERT NOT EXISTS (SELECT FROM paystream.undecided WHERE stream = pg_temp.id(1)), 'and in no mailbox';
END
$$;

-- What a decision makes ready is marked without a claim by who was told its fence, and by nobody else.
DO $$
DECLARE
    told bigint[];
    mine record;
BEGIN
    SELECT d.fences INTO told FROM pg_temp.decide(pg_temp.id(1), gen_random_uuid(),
        (SELECT ver FROM paystream.stream WHERE id = pg_temp.id(1)), change => 0, effect => pg_temp.id(50)) d;
    ASSERT cardinality(told) = 1 AND NOT pg_temp.mark(50, told[1] - 1) AND pg_temp.state(50) = 0, 'nobody guesses it';
    ASSERT pg_temp.mark(50, told[1]) AND pg_temp.mark(50, told[1]) AND pg_temp.state(50) = 2, 'once, as often as it is asked';
    ASSERT (SELECT (count(*), min(fence)) = (1, told[1]) FROM paystream.sending_mark WHERE effect = pg_temp.id(50)), 'a mark';
    ASSERT (SELECT lease_until >= statement_timestamp() + interval '6 seconds' FROM paystream.effect
             WHERE id = pg_temp.id(50)), 'which holds for the deadline and the margin';

    SELECT d.fences INTO told FROM pg_temp.decide(pg_temp.id(1), gen_random_uuid(),
        (SELECT ver FROM paystream.stream WHERE id = pg_temp.id(1)), change => 0, effect => pg_temp.id(51)) d;
    SELECT c.fence INTO STRICT mine FROM paystream.claim_effects('a', 15000000) c WHERE c.id = pg_temp.id(51);
    ASSERT NOT pg_temp.mark(51, told[1]), 'what is claimed is its claimer''s';
    PERFORM pg_temp.end_lease(51, '1 second');
    PERFORM paystream.reclaim_effects();
    ASSERT pg_temp.state(51) = 0 AND NOT pg_temp.mark(51, told[1]) AND NOT pg_temp.mark(51, mine.fence),
        'and nobody''s when its lease is over';

    SELECT d.fences INTO told FROM pg_temp.decide(pg_temp.id(1), gen_random_uuid(),
        (SELECT ver FROM paystream.stream WHERE id = pg_temp.id(1)), change => 0, effect => pg_temp.id(52),
        ready_in => '1 minute') d;
    ASSERT NOT pg_temp.mark(52, told[1]), 'what is for later waits';
    -- Five seconds are the margin of `pg_temp.mark`: in them somebody else may find it expired.
    SELECT d.fences INTO told FROM pg_temp.decide(pg_temp.id(1), gen_random_uuid(),
        (SELECT ver FROM paystream.stream WHERE id = pg_temp.id(1)), change => 0, effect => pg_temp.id(52),
        send_within => '4 seconds') d;
    ASSERT NOT pg_temp.mark(52, told[1]), 'nobody marks without a claim what may expire meanwhile';
    SELECT c.fence INTO STRICT mine FROM paystream.claim_effects('a', 15000000) c WHERE c.id = pg_temp.id(52);
    PERFORM pg_temp.end_lease(52, '-3 seconds');
    ASSERT NOT pg_temp.mark(52, mine.fence), 'nor its claimer, where the lease ends meanwhile, too';
    PERFORM pg_temp.end_lease(52, '-15 seconds');
    ASSERT pg_temp.mark(52, mine.fence), 'its claimer does, whose lease lasts';
    SELECT d.fences INTO told FROM pg_temp.decide(pg_temp.id(1), gen_random_uuid(),
        (SELECT ver FROM paystream.stream WHERE id = pg_temp.id(1)), change => 0, effect => pg_temp.id(52)) d;
    ASSERT (SELECT d.fences = '{}' FROM pg_temp.decide(pg_temp.id(1), gen_random_uuid(),
        (SELECT ver FROM paystream.stream WHERE id = pg_temp.id(1)), change => 3, effect => pg_temp.id(52)) d),
        'another change tells no fence';
    ASSERT NOT pg_temp.mark(52, told[1]), 'what was revoked does not leave';
    DELETE FROM paystream.effect WHERE id IN (pg_temp.id(50), pg_temp.id(51), pg_temp.id(52));
END
$$;

-- However many accounts have messages alone whose window is over, the ones behind them are served.
INSERT INTO paystream.effect (not_before, send_before, lease_until, deadline_us, merchant, ordinal, stream_kind, id, stream, account, template, state)
SELECT now() - interval '1 hour', CASE WHEN n = 45 THEN now() + interval '1 hour' ELSE now() - interval '1 second' END, now(), 1000000, 1, 1, 1,
       pg_temp.id(700 + n), pg_temp.id(1), ('00000000-0000-0000-aaaa-' || lpad(n::text, 12, '0'))::uuid, '\x01', 0
  FROM generate_series(1, 60) AS n;
DO $$
DECLARE
    served uuid[];
BEGIN
    FOR behind IN 0..40 BY 20 LOOP
        SELECT array_agg(c.id) INTO served FROM paystream.claim_effects('a', 15000000,
            after_account => ('00000000-0000-0000-aaaa-' || lpad(behind::text, 12, '0'))::uuid) c;
        ASSERT served = ARRAY[pg_temp.id(745)], format('behind %s: %s', behind, served);
        UPDATE paystream.effect SET state = 0, owner = NULL WHERE id = pg_temp.id(745);
    END LOOP;
END
$$;
