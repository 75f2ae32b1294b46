-- Recovery epochs: what may have left counts as sent, and in another cluster nobody acts before one has begun.
\ir fixtures/units.sql
BEGIN;
INSERT INTO paystream.effect (not_before, send_before, lease_until, fence, deadline_us, merchant, ordinal, stream_kind,
    state, id, stream, account, template)
SELECT statement_timestamp() + n.not_before * interval '1 second', statement_timestamp() + n.send_before * interval '1 second',
       statement_timestamp() + interval '15 seconds', 1, 30000000, 1, 1, 1, n.state, n.id::uuid,
       '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-00000000000b', '\x01'
  FROM (VALUES (-10, 600, 0, '00000000-0000-0000-0000-000000000001'),
               (-10, 600, 1, '00000000-0000-0000-0000-000000000002'),
               (-10, 600, 2, '00000000-0000-0000-0000-000000000003'),
               (60, 600, 0, '00000000-0000-0000-0000-000000000004'),
               (-900, -300, 0, '00000000-0000-0000-0000-000000000005'))
       AS n (not_before, send_before, state, id);
INSERT INTO paystream.due (machine, merchant, stream_kind, stream)
VALUES (statement_timestamp() + interval '1 hour', 1, 1, '00000000-0000-0000-0000-00000000000a'),
       (statement_timestamp() + interval '1 hour', 1, 3, '00000000-0000-0000-0000-00000000000c');

DO $$
DECLARE
    began record;
    act text;
    known int := (SELECT max(number) FROM paystream.recovery_epoch);
BEGIN
    SELECT * INTO began FROM paystream.begin_recovery('test', 'nothing happened', true, 35);
    ASSERT began.epoch = known, 'the same cluster begins nothing by itself';

    -- Recorded just now, in no read model and waiting for nothing: what came of it later may be what was lost.
    PERFORM pg_temp.decide(pg_temp.id(160), pg_temp.id(161), 0, ARRAY['made']);
    UPDATE paystream.recovery_epoch SET cluster = '1/00000001' WHERE number = known;
    FOREACH act IN ARRAY ARRAY[
        'SELECT FROM paystream.claim_effects(''a'', 15000000)', 'SELECT FROM paystream.expired_effects()',
        'SELECT FROM paystream.mark_sending(''{1}'', ARRAY[pg_temp.id(1)], ''{1}'', 1)',
        'SELECT FROM pg_temp.decide(pg_temp.id(1), pg_temp.id(2), 0, ARRAY[''made''])']
    LOOP
        BEGIN
            EXECUTE act;
            ASSERT false, format('%s before the epoch', act);
        EXCEPTION WHEN SQLSTATE 'PS020' THEN NULL;
        END;
    END LOOP;
    PERFORM paystream.begin_recovery('daemon', 'elsewhere', true, 35);
    ASSERT (SELECT (number, begun_by, doubted, woken) = (known + 1, 'daemon', 3, 2) FROM paystream.recovery_epoch
             WHERE number = known + 1), 'an epoch began';
    ASSERT (SELECT array_agg(id ORDER BY id) = ARRAY['00000000-0000-0000-0000-000000000001',
            '00000000-0000-0000-0000-000000000002', '00000000-0000-0000-0000-000000000003',
            '00000000-0000-0000-0000-000000000005']::uuid[]
              FROM paystream.effect WHERE state = 2), 'what may have left counts as sent, what is for later does not';
    ASSERT (SELECT count(*) = 3 FROM paystream.sending_mark m JOIN paystream.effect x ON x.id = m.effect
             AND x.fence = m.fence AND m.at >= x.not_before AND m.at < x.send_before), 'under marks in their windows';
    ASSERT (SELECT bool_and(machine <= clock_timestamp()) AND bool_or(stream = pg_temp.id(160)) FROM paystream.due
             WHERE stream_kind = 1), 'payments are woken, those of the log alone, too';
    ASSERT (SELECT machine > clock_timestamp() FROM paystream.due WHERE stream_kind = 3), 'and nobody else';
    ASSERT NOT EXISTS (SELECT FROM paystream.claim_effects('a', 15000000)), 'and nothing of it is claimed';
    ASSERT (SELECT max(number) = known + 1 FROM paystream.recovery_epoch), 'once';

    ASSERT NOT EXISTS (SELECT FROM paystream.expired_effects()), 'nor said to have stayed here';

    PERFORM paystream.begin_recovery('ann', 'restored', false, 35);
    ASSERT (SELECT (begun_by, doubted) = ('ann', 0) FROM paystream.recovery_epoch WHERE number = known + 2),
        'a person begins another one';
END
$$;
ROLLBACK;
