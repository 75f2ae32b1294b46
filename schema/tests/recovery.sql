-- Recovery epochs: what may have left counts as sent, and a log in another cluster begins one by itself.
BEGIN;
INSERT INTO paystream.effect (not_before, send_before, lease_until, fence, deadline_us, merchant, ordinal, stream_kind,
    state, id, stream, account, template)
SELECT statement_timestamp() + n.not_before * interval '1 second', statement_timestamp() + interval '10 minutes',
       statement_timestamp() + interval '15 seconds', 1, 30000000, 1, 1, 1, n.state, n.id::uuid,
       '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-00000000000b', '\x01'
  FROM (VALUES (-10, 0, '00000000-0000-0000-0000-000000000001'), (-10, 1, '00000000-0000-0000-0000-000000000002'),
               (-10, 2, '00000000-0000-0000-0000-000000000003'), (60, 0, '00000000-0000-0000-0000-000000000004'))
       AS n (not_before, state, id);
INSERT INTO paystream.due (machine, merchant, stream_kind, stream)
VALUES (statement_timestamp() + interval '1 hour', 1, 1, '00000000-0000-0000-0000-00000000000a'),
       (statement_timestamp() + interval '1 hour', 1, 3, '00000000-0000-0000-0000-00000000000c');

DO $$
DECLARE
    began record;
    known int := (SELECT max(number) FROM paystream.recovery_epoch);
BEGIN
    SELECT * INTO began FROM paystream.begin_recovery('test', 'nothing happened', true, 35);
    ASSERT began.epoch = known, 'the same cluster begins nothing by itself';

    UPDATE paystream.recovery_epoch SET cluster = '1/00000001' WHERE number = known;
    ASSERT NOT EXISTS (SELECT FROM paystream.claim_effects('a', 15000000)), 'nothing is claimed before the epoch';
    ASSERT (SELECT (number, begun_by, doubted, woken) = (known + 1, 'daemon', 2, 1) FROM paystream.recovery_epoch
             WHERE number = known + 1), 'an epoch began';
    ASSERT (SELECT array_agg(id ORDER BY id) = ARRAY['00000000-0000-0000-0000-000000000001',
            '00000000-0000-0000-0000-000000000002', '00000000-0000-0000-0000-000000000003']::uuid[]
              FROM paystream.effect WHERE state = 2), 'what may have left counts as sent, what is for later does not';
    ASSERT (SELECT count(*) = 2 FROM paystream.sending_mark m JOIN paystream.effect x ON x.id = m.effect
             AND x.fence = m.fence AND m.at >= x.not_before AND m.at < x.send_before), 'under marks in their windows';
    ASSERT (SELECT machine <= clock_timestamp() FROM paystream.due WHERE stream_kind = 1), 'payments are woken';
    ASSERT (SELECT machine > clock_timestamp() FROM paystream.due WHERE stream_kind = 3), 'and nobody else';
    ASSERT NOT EXISTS (SELECT FROM paystream.claim_effects('a', 15000000)), 'and nothing of it is claimed';
    ASSERT (SELECT max(number) = known + 1 FROM paystream.recovery_epoch), 'once';

    PERFORM paystream.begin_recovery('ann', 'restored', false, 35);
    ASSERT (SELECT (begun_by, doubted) = ('ann', 0) FROM paystream.recovery_epoch WHERE number = known + 2),
        'a person begins another one';
END
$$;
ROLLBACK;
