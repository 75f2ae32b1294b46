-- Keeps the sealed original bytes of inputs until they expire. Nobody waits for the disk: the log holds what counts.
CREATE OR REPLACE FUNCTION paystream.keep_originals(
    merchants int[], inputs uuid[], originals bytea[], kept_seconds bigint)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    INSERT INTO paystream.input_original (merchant, input, sealed, expires_at)
    SELECT u.m, u.i, u.s, statement_timestamp() + kept_seconds * interval '1 second'
      FROM unnest(merchants, inputs, originals) AS u (m, i, s) ORDER BY u.m, u.i
    ON CONFLICT DO NOTHING;
END
$$;
