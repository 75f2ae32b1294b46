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

-- A card number is refused before it is written, however it is grouped; what we or providers call something is none.
SELECT pg_temp.refused('PS006', 'shop', 'k', 'payment.create', body::json) FROM (VALUES
    ('{"reference": "4242424242424242"}'), ('{"a": {"b": ["x 4242 4242 4242 4242."]}}'), ('{"n": 4242424242424242}'),
    ('{"reference": "4242-4242-4242-4242"}'), ('{"a": "\u0034242424242424242"}'), ('{"4242424242424242": 1}'),
    ('{"a": "3782 822463 10005"}'), ('{"a": "card:5105105105105100,"}'), ('{"a": "4242424242424241 4242424242424242"}')
) t (body);
SELECT pg_temp.refused(NULL, 'shop', 'k', 'payment.create', body::json) FROM (VALUES
    ('{"payment": "pay_01900000000070008000000000000042"}'), ('{"reference": "4006381333931"}'),
    ('{"customer": "order60-1795348007"}'), ('{"a": "4242424242424241"}'), ('{"a": "42424242424242424242"}'),
    ('{"a": "x4242424242424242"}'), ('{"amount": {"value": 1999, "currency": "EUR"}}'), ('{"a": "44444444444444"}')
) t (body);
SELECT pg_temp.refused('PS003', 'shop', 'k', 'payment.create', '{"a": "\u0000"}');
INSERT INTO paystream.identifier_path VALUES ('{details,credential,firstPayment}'), ('{details,items,*,sku}'),
    ('{details,data,*}');
SELECT pg_temp.refused(NULL, 'shop', 'k', 'payment.create',
    '{"details": {"credential": {"firstPayment": "4242424242424242"}}}');
SELECT pg_temp.refused(NULL, 'shop', 'k', 'payment.create', body::json) FROM (VALUES
    ('{"details": {"items": [{"sku": "a"}, {"sku": "4242424242424242"}]}}'), ('{"details": {"items": []}}'),
    ('{"details": {"data": {"shelf": "4242424242424242"}}}'), ('{"details": {"data": {}}}'), ('{"details": 7}')
) t (body);
SELECT pg_temp.refused('PS006', 'shop', 'k', 'payment.create', body::json) FROM (VALUES
    ('{"details": {"items": [{"name": "4242424242424242"}]}}'), ('{"details": {"data": {"x": ["4242424242424242"]}}}'),
    ('{"details": {"data": {"4242424242424242": "x"}}}'), ('{"items": [{"sku": "4242424242424242"}]}')
) t (body);
SELECT pg_temp.refused('PS006', 'shop', 'k', 'payment.create', '{"details": {"firstPayment": "4242424242424242"}}');
-- Nor is it kept as the key.
SELECT pg_temp.refused('PS006', 'shop', key, 'payment.create', '{}')
  FROM (VALUES ('4242424242424242'), ('order:4242-4242-4242-4242')) t (key);
SELECT pg_temp.refused(NULL, 'shop', key, 'payment.create', '{}')
  FROM (VALUES ('4242424242424241'), ('f4242424-2424-4242-8424-2424242424ab')) t (key);
DO $$
BEGIN
    ASSERT NOT EXISTS (SELECT FROM paystream.inbox WHERE body::text LIKE '%4242 4242%'), 'nothing of it is written';
END
$$;
