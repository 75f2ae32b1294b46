-- `commit`: what is written, whole or not at all, and what stops it.
\ir fixtures/units.sql

-- A first decision makes the stream; positions follow the order input, events, decision.
DO $$
DECLARE
    told record;
    places bigint[];
BEGIN
    SELECT * INTO told FROM pg_temp.decide(pg_temp.id(1), pg_temp.id(101), 0, '{a,b}', mac => '\xaa',
        refs => '{order-1}', machine => 'infinity');
    ASSERT (told.outcome, told.version) = (0, 2), format('committed at version 2, not %s at %s', told.outcome,
        told.version);
    SELECT array_agg(p ORDER BY o) INTO places FROM (
        SELECT 1, i.pos FROM paystream.input i UNION ALL SELECT 1 + e.ver, e.pos FROM paystream.event e
        UNION ALL SELECT 9, d.pos FROM paystream.decision d) t (o, p);
    ASSERT places = ARRAY[told.pos - 3, told.pos - 2, told.pos - 1, told.pos], format('positions %s', places);
    ASSERT told.event_pos = places[2:3], format('the positions of its events, told as %s', told.event_pos);
    ASSERT (SELECT bool_and(e.at = told.at) FROM paystream.event e), 'and when they were recorded';
    ASSERT (SELECT array_agg((e.ver, e.type, e.cause)::text ORDER BY e.pos) FROM paystream.event e)
        = ARRAY[(1, 'a', pg_temp.id(101))::text, (2, 'b', pg_temp.id(101))::text], 'each event names its cause';
    ASSERT (SELECT (d.base, d.events, d.code) IS NOT DISTINCT FROM (0, 2::smallint, NULL::text)
              FROM paystream.decision d), 'the decision record';
    ASSERT (SELECT (k.stream, k.version, k.mac) = (pg_temp.id(1), 2, '\xaa'::bytea) FROM paystream.idempotency k),
        'the key keeps the version that its command committed';
    ASSERT (SELECT count(*) = 1 FROM paystream.due WHERE machine = 'infinity'), 'the timer is armed';
END
$$;

-- The same input again is the answer that was lost, whatever it is decided from, and writes nothing.
DO $$
DECLARE
    told record;
    place bigint := (SELECT last_value FROM paystream.pos_seq);
BEGIN
    FOR base IN 0..2 LOOP
        SELECT * INTO told FROM pg_temp.decide(pg_temp.id(1), pg_temp.id(101), base, '{x}');
        ASSERT (told.outcome, told.version) = (1, 2), format('base %s: %s at %s', base, told.outcome, told.version);
    END LOOP;
    ASSERT (SELECT count(*) = 2 FROM paystream.event), 'no event twice';
    ASSERT (SELECT last_value FROM paystream.pos_seq) = place, 'no position is drawn for nothing';
END
$$;

-- A stale version is a conflict that names the true one; nothing of the unit stays.
DO $$
DECLARE
    told record;
    base int;
BEGIN
    FOREACH base IN ARRAY ARRAY[0, 1, 3] LOOP
        SELECT * INTO told FROM pg_temp.decide(pg_temp.id(1), pg_temp.id(102), base, '{x}', mac => '\xbb',
            refs => '{order-2}', change => 0, effect => pg_temp.id(500), machine => '-infinity',
            forward => pg_temp.id(600), forward_to => pg_temp.id(9));
        ASSERT (told.outcome, told.version) = (2, 2), format('base %s: %s at %s', base, told.outcome, told.version);
    END LOOP;
    ASSERT (SELECT ver = 2 FROM paystream.stream WHERE id = pg_temp.id(1)), 'the version stands';
    ASSERT NOT EXISTS (SELECT FROM paystream.input WHERE id IN (pg_temp.id(102), pg_temp.id(600))), 'no input';
    ASSERT NOT EXISTS (SELECT FROM paystream.decision WHERE input = pg_temp.id(102)), 'no decision';
    ASSERT NOT EXISTS (SELECT FROM paystream.event WHERE cause = pg_temp.id(102)), 'no event';
    ASSERT NOT EXISTS (SELECT FROM paystream.idempotency WHERE input = pg_temp.id(102)), 'no key';
    ASSERT NOT EXISTS (SELECT FROM paystream.reference WHERE value = 'order-2'), 'no reference';
    ASSERT NOT EXISTS (SELECT FROM paystream.effect), 'no effect: nothing is sent for what was not decided';
    ASSERT NOT EXISTS (SELECT FROM paystream.due WHERE machine = '-infinity'), 'no timer';
END
$$;

-- A reference belongs to one stream for ever; its own stream may name it again.
DO $$
DECLARE
    told record;
BEGIN
    SELECT * INTO told FROM pg_temp.decide(pg_temp.id(2), pg_temp.id(103), 0, '{x}', refs => '{free,order-1}');
    ASSERT (told.outcome, told.taken, told.taken_by, told.taken_kind) = (5, 2, pg_temp.id(1), 1::smallint),
        format('the second name belongs to stream 1: %s', told);
    ASSERT NOT EXISTS (SELECT FROM paystream.stream WHERE id = pg_temp.id(2)), 'no stream';
    ASSERT NOT EXISTS (SELECT FROM paystream.reference WHERE value = 'free'), 'not even the free name';
    SELECT * INTO told FROM pg_temp.decide(pg_temp.id(2), pg_temp.id(103), 5, '{x}', refs => '{order-1}');
    ASSERT (told.outcome, told.version, told.taken) IS NOT DISTINCT FROM (2, 0, NULL::int),
        format('whoever was overtaken hears of that first: %s', told);
    SELECT * INTO told FROM pg_temp.decide(pg_temp.id(1), pg_temp.id(104), 2, '{c}', refs => '{order-1,order-3}');
    ASSERT (told.outcome, told.version) = (0, 3), format('its own name does not stop it: %s', told);
    ASSERT (SELECT array_agg(value ORDER BY value) FROM paystream.reference) = '{order-1,order-3}', 'both names';
    ASSERT NOT EXISTS (SELECT FROM paystream.due), 'a decision that wants no timer disarms the one that was armed';
END
$$;

-- A rejection is decided and kept, and moves no version.
DO $$
DECLARE
    told record;
BEGIN
    SELECT * INTO told FROM pg_temp.decide(pg_temp.id(1), pg_temp.id(105), 3, code => 'amount_exceeds', mac => '\xcc');
    ASSERT (told.outcome, told.version) = (0, 3), format('decided at version 3: %s', told);
    ASSERT (SELECT code = 'amount_exceeds' FROM paystream.decision WHERE input = pg_temp.id(105)), 'its code';
    ASSERT (SELECT version = 3 FROM paystream.idempotency WHERE input = pg_temp.id(105)), 'it consumes the key';
END
$$;

-- Two units in one call: one falls with all that it brings, its neighbour stands.
DO $$
DECLARE
    told int[];
    places bigint[];
    armed CONSTANT timestamptz := 'infinity';
BEGIN
    INSERT INTO paystream.due (machine, merchant, stream_kind, stream) VALUES (armed, 1, 1, pg_temp.id(1));
    SELECT array_agg(c.outcome), array_agg(c.event_pos[1]) INTO told, places FROM paystream.commit(
        NULL, '{1,1}', ARRAY[pg_temp.id(1), pg_temp.id(3)], '{1,1}', ARRAY[pg_temp.id(106), pg_temp.id(107)], '{NULL,NULL}',
        '{2,0}', '{1,1}', '{NULL,NULL}', ARRAY[NULL, NULL]::json[], ARRAY['{}', '{}']::json[],
        ARRAY['{}', '{}']::json[], ARRAY['\x01', NULL]::bytea[], '{NULL,NULL}', '{NULL,NULL}',
        '{1,1}', '{n,n}', ARRAY['{}', '{}']::json[], ARRAY['', '']::bytea[], '{now,now}',
        '{1,2}', '{3,1}', '{stale,fresh}', ARRAY['{}', '{}']::json[],
        '{1}', ARRAY[pg_temp.id(900)], '{payment}', '{order-4}',
        '{1}', '{0}', ARRAY[pg_temp.id(501)], ARRAY[pg_temp.id(900)], '{1}', ARRAY['']::bytea[], '{now}', '{infinity}',
        '{1}', '{NULL}',
        '{1}', '{1}', ARRAY[pg_temp.id(9)], '{1}', ARRAY[pg_temp.id(602)], '{1}', '{n}', ARRAY['{}']::json[],
        ARRAY['']::bytea[], '{now}') c;
    ASSERT told = '{2,0}', format('one conflict, one commit: %s', told);
    ASSERT (SELECT array_agg(type) FROM paystream.event WHERE cause IN (pg_temp.id(106), pg_temp.id(107)))
        = '{fresh}', 'only the neighbour''s event';
    ASSERT places = ARRAY[NULL, (SELECT pos FROM paystream.event WHERE type = 'fresh')], 'each unit is told its own';
    ASSERT NOT EXISTS (SELECT FROM paystream.input WHERE id = pg_temp.id(106)), 'no input';
    ASSERT NOT EXISTS (SELECT FROM paystream.decision WHERE input = pg_temp.id(106)), 'no decision';
    ASSERT NOT EXISTS (SELECT FROM paystream.idempotency WHERE input = pg_temp.id(106)), 'no key';
    ASSERT NOT EXISTS (SELECT FROM paystream.reference WHERE value = 'order-4'), 'no reference';
    ASSERT NOT EXISTS (SELECT FROM paystream.effect), 'no effect';
    ASSERT NOT EXISTS (SELECT FROM paystream.undecided), 'no forward';
    ASSERT (SELECT machine = armed FROM paystream.due WHERE stream = pg_temp.id(1)), 'its timer stands';
END
$$;

-- A new input may not overtake those that wait, and a forward waits in the other stream's mailbox, once.
DO $$
BEGIN
    ASSERT (SELECT outcome = 0 FROM pg_temp.decide(pg_temp.id(3), pg_temp.id(108), 1, '{x}',
        forward => pg_temp.id(601), forward_to => pg_temp.id(4)));
    ASSERT (SELECT array_agg(input) = ARRAY[pg_temp.id(601)] FROM paystream.undecided WHERE stream = pg_temp.id(4)),
        'the forward waits';
    PERFORM pg_temp.ends(3, pg_temp.id(4), pg_temp.id(109), 0, '{x}');
    ASSERT (SELECT outcome = 0 FROM pg_temp.decide(pg_temp.id(3), pg_temp.id(110), 2, '{x}',
        forward => pg_temp.id(601), forward_to => pg_temp.id(4)));
    ASSERT (SELECT count(*) = 1 FROM paystream.undecided), 'a known forward is skipped';
END
$$;

-- Who lost the mailbox decides nothing; who holds it decides what waits there, and an empty mailbox vanishes.
DO $$
DECLARE
    old bigint;
    new bigint;
BEGIN
    SELECT fence INTO old FROM pg_temp.claim_mail('a', 0);
    SELECT fence INTO new FROM pg_temp.claim_mail('b', 60000000);
    ASSERT new > old, 'a claim draws a later fence';
    PERFORM pg_temp.ends(4, pg_temp.id(4), pg_temp.id(601), 0, '{x}', fence => old);
    ASSERT NOT EXISTS (SELECT FROM paystream.event WHERE stream = pg_temp.id(4)), 'the fence keeps the old owner out';
    PERFORM pg_temp.ends(4, pg_temp.id(4), pg_temp.id(777), 0, '{x}', fence => new);
    PERFORM pg_temp.ends(0, pg_temp.id(4), pg_temp.id(601), 0, '{x}', fence => new);
    ASSERT NOT EXISTS (SELECT FROM paystream.mail) AND NOT EXISTS (SELECT FROM paystream.undecided), 'worked off';
    PERFORM pg_temp.ends(1, pg_temp.id(4), pg_temp.id(601), 0, '{x}', fence => new);
    ASSERT (SELECT count(*) = 1 FROM paystream.event WHERE stream = pg_temp.id(4)), 'decided once';
END
$$;

-- Loading gives each stream's events in the order of their versions, after the version asked for.
DO $$
BEGIN
    ASSERT (SELECT array_agg(unit || ':' || ver || type) FROM paystream.load_streams(
        '{1,1,1}', '{1,1,1}', ARRAY[pg_temp.id(3), pg_temp.id(1), pg_temp.id(99)], '{0,1,0}'))
        = '{1:1fresh,1:2x,1:3x,2:2b,2:3c}', 'what was loaded';
    ASSERT (SELECT array_agg(unit || ':' || ver || type) FROM paystream.load_streams(
        '{1,1}', '{1,1}', ARRAY[pg_temp.id(3), pg_temp.id(1)], '{0,1}', 1)) = '{1:1fresh,2:2b}', 'a page of each';
END
$$;
