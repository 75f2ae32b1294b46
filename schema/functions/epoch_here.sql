-- Answers when the newest recovery epoch began, and NULL where none ever has.
--
-- PS020 where the log has come to another cluster since, by a restore or because a standby took over: what the log lost may
-- have been done, so that nobody decides or sends, or says what was never sent, before the next epoch has begun.
CREATE OR REPLACE FUNCTION paystream.epoch_here() RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
DECLARE
    newest record;
BEGIN
    SELECT e.number, e.begun_at, e.cluster INTO newest FROM paystream.recovery_epoch e ORDER BY e.number DESC LIMIT 1;
    IF newest.cluster <> paystream.cluster_name() THEN
        RAISE EXCEPTION USING ERRCODE = 'PS020', MESSAGE = 'the log is in another cluster, or on another timeline';
    END IF;
    RETURN CASE WHEN newest.number > 0 THEN newest.begun_at END;
END
$$;
