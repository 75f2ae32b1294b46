-- Begins a recovery epoch: what may have been sent counts as sent, and the providers of open payments are asked.
--
-- 1. A message that might have left since the log's last word may have left: it is marked, and nobody waits for its answer.
-- 2. Open payments, and those of which anything was recorded in the last `asked_days` days, are woken; each takes note of the
--    epoch before anything else. The log tells them: a read model may be behind it, or be made anew.
--
-- With `if_elsewhere` it begins only where the log is in another cluster than at the last epoch. Answers the newest number.
CREATE OR REPLACE FUNCTION paystream.begin_recovery(
    who text, why text, if_elsewhere boolean, asked_days int, OUT epoch int, OUT at timestamptz)
LANGUAGE plpgsql VOLATILE
SET jit = off AS $$
DECLARE
    cluster_now text := paystream.cluster_name();
    cluster_then text;
    marked int;
    roused bigint;
    -- Every event of the asked days is behind `low`.
    low bigint := 0;
    log_end bigint := coalesce((SELECT max(e.pos) FROM paystream.event e), 0);
    high bigint := log_end;
    middle bigint;
BEGIN
    -- One at a time; an advisory lock, because whoever may only add rows may not lock the table.
    PERFORM pg_advisory_xact_lock(x'72'::bigint << 56);
    SELECT e.number, e.begun_at, e.cluster INTO epoch, at, cluster_then
      FROM paystream.recovery_epoch e ORDER BY e.number DESC LIMIT 1;
    IF if_elsewhere AND cluster_then = cluster_now THEN
        RETURN;
    END IF;
    epoch := coalesce(epoch, 0) + 1;
    at := clock_timestamp();

    WITH doubted AS (
        UPDATE paystream.effect x
           SET state = 2, fence = nextval('paystream.fence_seq'), owner = NULL, lease_until = at
         WHERE x.state IN (0, 1) AND x.not_before <= at
        RETURNING x.fence, x.merchant, x.ordinal, x.stream_kind, x.stream, x.id, x.not_before, x.send_before
    ), kept AS (
        -- The mark lies in the licence's window: that is when the message may have left.
        INSERT INTO paystream.sending_mark (at, fence, merchant, ordinal, stream_kind, stream, effect)
        SELECT greatest(d.not_before, least(at, d.send_before - interval '1 microsecond')), d.fence, d.merchant,
               d.ordinal, d.stream_kind, d.stream, d.id
          FROM doubted d
        RETURNING 1
    )
    SELECT count(*) INTO marked FROM kept;

    -- Positions follow the time but for what committed side by side, and that is over in an hour.
    WHILE high - low > 1000 LOOP
        middle := low + (high - low) / 2;
        IF (SELECT e.at FROM paystream.event e WHERE e.pos >= middle ORDER BY e.pos LIMIT 1)
            > begin_recovery.at - asked_days * interval '1 day' - interval '1 hour'
        THEN
            high := middle;
        ELSE
            low := middle;
        END IF;
    END LOOP;
    WITH wanted AS (
        SELECT d.merchant AS m, d.stream_kind AS k, d.stream AS s FROM paystream.due d WHERE d.stream_kind IN (1, 7)
        UNION
        SELECT e.merchant, e.stream_kind, e.stream
          FROM paystream.event e
         WHERE e.pos > low AND e.stream_kind IN (1, 7) AND e.at > begin_recovery.at - asked_days * interval '1 day'
        UNION
        SELECT v.merchant, v.kind, v.id FROM paystream.payment_view v WHERE v.has_obligations
    ), armed AS (
        INSERT INTO paystream.due AS x (machine, merchant, stream_kind, stream)
        SELECT at, w.m, w.k, w.s FROM wanted w ORDER BY w.m, w.s
        ON CONFLICT (merchant, stream) DO UPDATE SET machine = least(x.machine, EXCLUDED.machine)
        RETURNING 1
    )
    SELECT count(*) INTO roused FROM armed;

    INSERT INTO paystream.recovery_epoch (number, begun_at, cluster, begun_by, reason, doubted, woken, log_end)
    VALUES (epoch, at, cluster_now, who, why, marked, roused, log_end);
END
$$;
