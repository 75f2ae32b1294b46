-- The SQL entrance: what it refuses on the spot, and what it keeps.
INSERT INTO paystream.merchant (name) VALUES ('shop');

CREATE FUNCTION pg_temp.refused(state text, merchant text, key text, name text, body json) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    seen text;
BEGIN
    BEGIN
        PERFORM paystream.enqueue(merchant, key, name, body);
    EXCEPTION WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS seen = RETURNED_SQLSTATE;
    END;
    ASSERT seen IS NOT DISTINCT FROM state, format('expected %s, got %s', state, coalesce(seen, 'nothing'));
END
$$;

SELECT pg_temp.refused('PS001', 'nobody', 'k', 'payment.create', '{}');
SELECT pg_temp.refused('PS002', 'shop', 'k', 'payment.dance', '{}');
SELECT pg_temp.refused('PS003', 'shop', 'k', 'payment.create', '[]');
SELECT pg_temp.refused('PS003', 'shop', 'k', 'payment.create', NULL);
SELECT pg_temp.refused('PS004', 'shop', '', 'payment.create', '{}');
SELECT pg_temp.refused('PS004', 'shop', 'a b', 'payment.create', '{}');
SELECT pg_temp.refused('PS004', 'shop', repeat('k', 256), 'payment.create', '{}');
SELECT pg_temp.refused('PS005', 'shop', 'k', 'payment.create', json_build_object('a', repeat('x', 65536)));

DO $$
DECLARE
    made uuid;
    told text;
BEGIN
    made := paystream.enqueue('shop', repeat('k', 255), 'payment.create', '{"mode": "sale"}');
    ASSERT (SELECT count(*) = 1 FROM paystream.inbox WHERE id = made), 'the command is in the inbox';
    SELECT state INTO told FROM paystream.outcome(made);
    ASSERT told = 'pending', format('a command that nobody took is pending, not %s', told);
    SELECT state INTO told FROM paystream.outcome(gen_random_uuid());
    ASSERT told = 'unknown', format('an id that was never given is unknown, not %s', told);
END
$$;
