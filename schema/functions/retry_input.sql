-- Puts a quarantined input back into its stream's mailbox, at its own place, to be decided again; answers whether there was one.
CREATE OR REPLACE FUNCTION paystream.retry_input(in_merchant int, in_input uuid) RETURNS boolean LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    q paystream.input_quarantine;
BEGIN
    DELETE FROM paystream.input_quarantine x WHERE x.merchant = in_merchant AND x.input = in_input RETURNING * INTO q;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    -- The mailbox before its inputs, as `admit` takes them: whoever empties it can't delete it unseen.
    INSERT INTO paystream.mail AS b (due, merchant, stream_kind, stream)
    VALUES (statement_timestamp(), q.merchant, q.stream_kind, q.stream)
    ON CONFLICT (merchant, stream) DO UPDATE SET attempts = b.attempts;
    INSERT INTO paystream.undecided (merchant, stream, pos, input) VALUES (q.merchant, q.stream, q.pos, q.input);
    RETURN true;
END
$$;
