-- Moves an input that can't be decided out of its mailbox, so that its stream goes on; a lost claim moves nothing.
CREATE OR REPLACE FUNCTION paystream.quarantine_input(
    in_merchant int, in_stream uuid, in_fence bigint, in_input uuid, in_reason text)
RETURNS boolean LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    box paystream.mail;
    place bigint;
BEGIN
    SELECT * INTO box FROM paystream.mail b
     WHERE b.merchant = in_merchant AND b.stream = in_stream AND b.fence = in_fence FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT w.pos INTO place FROM paystream.undecided w
     WHERE w.merchant = in_merchant AND w.stream = in_stream AND w.input = in_input;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO paystream.input_quarantine (pos, merchant, attempts, stream_kind, stream, input, reason)
    VALUES (place, in_merchant, box.attempts, box.stream_kind, in_stream, in_input, in_reason);
    PERFORM paystream.settle_mail(ARRAY[0], ARRAY[in_merchant], ARRAY[in_stream], ARRAY[in_input], ARRAY[in_fence]);
    RETURN true;
END
$$;
