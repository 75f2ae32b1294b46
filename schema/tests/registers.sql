-- Followers' checkpoints with the rows they guard, and the shelf of refused notifications.
\ir fixtures/units.sql

-- Rows of the payment view: by number, at a version, with an amount.
CREATE FUNCTION pg_temp.apply(
    from_pos bigint, to_pos bigint, numbers int[], versions int[], amounts bigint[], view_version int DEFAULT 1)
RETURNS boolean LANGUAGE sql AS $$
    SELECT paystream.payment_view_apply(from_pos, to_pos, view_version,
        ARRAY(SELECT 1 FROM unnest(numbers)), ARRAY(SELECT pg_temp.id(n) FROM unnest(numbers) n), versions,
        ARRAY(SELECT to_pos FROM unnest(numbers)), ARRAY(SELECT 'captured' FROM unnest(numbers)),
        ARRAY(SELECT 'EUR' FROM unnest(numbers)), amounts, ARRAY(SELECT 'order-' || n FROM unnest(numbers) n),
        ARRAY(SELECT NULL::text FROM unnest(numbers)), ARRAY(SELECT pg_temp.id(900) FROM unnest(numbers)),
        ARRAY(SELECT 'test' FROM unnest(numbers)), ARRAY(SELECT false FROM unnest(numbers)),
        ARRAY(SELECT false FROM unnest(numbers)), ARRAY(SELECT statement_timestamp() FROM unnest(numbers)),
        ARRAY(SELECT statement_timestamp() FROM unnest(numbers)), ARRAY(SELECT '{}'::json FROM unnest(numbers)),
        ARRAY(SELECT 1 FROM unnest(numbers)), ARRAY(SELECT false FROM unnest(numbers)),
        ARRAY(SELECT 'ecommpay' FROM unnest(numbers)), amounts, ARRAY(SELECT 0 FROM unnest(numbers)),
        ARRAY(SELECT 0 FROM unnest(numbers)), ARRAY(SELECT 0 FROM unnest(numbers)), ARRAY(SELECT 0 FROM unnest(numbers)),
        ARRAY(SELECT 0 FROM unnest(numbers)), ARRAY(SELECT 'hosted' FROM unnest(numbers)),
        ARRAY(SELECT NULL::uuid FROM unnest(numbers)),
        -- Payments of an odd number have a label.
        ARRAY(SELECT CASE WHEN n % 2 = 1 THEN format('{%s,%s}', pg_temp.id(700), pg_temp.id(700 + n)) END
                FROM unnest(numbers) n))
$$;

CREATE FUNCTION pg_temp.amounts() RETURNS bigint[] LANGUAGE sql AS
    $$ SELECT array_agg(amount ORDER BY id) FROM paystream.payment_view $$;

CREATE FUNCTION pg_temp.place(of_version int DEFAULT 1) RETURNS bigint LANGUAGE sql AS
    $$ SELECT pos FROM paystream.checkpoint WHERE name = 'payment_view' AND version = of_version $$;

-- The checkpoint and its rows move together, from the place that the follower read, once.
DO $$
BEGIN
    ASSERT pg_temp.apply(0, 10, '{2,1}', '{1,1}', '{200,100}'), 'a follower that begins';
    ASSERT pg_temp.place() = 10 AND pg_temp.amounts() = '{100,200}', 'rows and place';
    ASSERT NOT pg_temp.apply(0, 10, '{1}', '{2}', '{999}'), 'the same step again';
    ASSERT NOT pg_temp.apply(5, 20, '{1}', '{2}', '{999}'), 'another follower''s place';
    ASSERT pg_temp.place() = 10 AND pg_temp.amounts() = '{100,200}', 'neither moved anything';
    ASSERT pg_temp.apply(10, 20, '{1,2,3}', '{3,1,1}', '{150,999,300}'), 'the next step';
    ASSERT pg_temp.amounts() = '{150,200,300}', 'a row goes forward by its version and never back';
    ASSERT (SELECT array_agg(id ORDER BY id) FROM paystream.payment_label WHERE label = pg_temp.id(700))
        = ARRAY[pg_temp.id(1), pg_temp.id(3)], 'a label leads to each payment once, whatever its versions';
    ASSERT (SELECT count(*) FROM paystream.payment_view WHERE labels @> ARRAY[pg_temp.id(700), pg_temp.id(701)]) = 1,
        'and stands in its row';
    ASSERT pg_temp.apply(20, 30, '{}', '{}', '{}'), 'a page that concerns no payment';
    ASSERT pg_temp.place() = 30, 'moves the place all the same';
END
$$;

-- Another version of the view writes nothing into the rows that are shown.
DO $$
BEGIN
    ASSERT NOT pg_temp.apply(0, 5, '{4}', '{1}', '{400}', view_version => 2), 'neither from the beginning';
    ASSERT NOT pg_temp.apply(30, 35, '{4}', '{1}', '{400}', view_version => 2), 'nor from where the other is';
    ASSERT pg_temp.place(2) IS NULL AND pg_temp.place(1) = 30 AND pg_temp.amounts() = '{150,200,300}', 'all stands';
END
$$;

-- A step that fails moves nothing: the place is not ahead of the rows.
DO $$
BEGIN
    PERFORM pg_temp.apply(30, 40, '{5,5}', '{1,1}', '{1,2}');
    RAISE 'the same row twice was taken';
EXCEPTION WHEN cardinality_violation THEN
    ASSERT pg_temp.place() = 30, 'the place stands';
END
$$;

-- The shelf holds the last 10,000; a flood drops the oldest and nothing else.
DO $$
DECLARE
    first bigint;
    last bigint;
BEGIN
    first := paystream.shelve_notification(NULL, 'ecommpay', 'signature', '{}', '\x01', 3600000000);
    ASSERT (SELECT expires_at > statement_timestamp() + interval '59 minutes' FROM paystream.quarantine), 'its end';
    SELECT max(paystream.shelve_notification(NULL, 'ecommpay', 'signature', '{}', '\x02', 3600000000)) INTO last
      FROM generate_series(1, 9999);
    ASSERT last = first + 9999 AND (SELECT min(id) FROM paystream.quarantine) = first, 'a full shelf keeps the first';
    PERFORM paystream.shelve_notification(NULL, 'ecommpay', 'signature', '{}', '\x03', 3600000000);
    ASSERT (SELECT count(*) = 10000 AND min(id) = first + 1 FROM paystream.quarantine), 'the oldest made way';
END
$$;

-- A shelf of large bodies ends at its bytes, and never loses the newest.
DO $$
DECLARE
    last bigint;
BEGIN
    SELECT max(paystream.shelve_notification(NULL, 'ecommpay', 'signature', '{}',
            convert_to(repeat('x', 65536), 'UTF8'), 3600000000)) INTO last
      FROM generate_series(1, 1200);
    ASSERT (SELECT sum(octet_length(body)) <= (1024 + 64) * 65536::bigint FROM paystream.quarantine), 'bytes are bounded';
    ASSERT (SELECT count(*) >= 960 AND max(id) = last FROM paystream.quarantine), 'the newest stay';
    DELETE FROM paystream.quarantine;
END
$$;

-- What has expired leaves with the next arrival.
DO $$
DECLARE
    old bigint := paystream.shelve_notification(NULL, 'ecommpay', 'signature', '{}', '\x01', -1);
BEGIN
    PERFORM paystream.shelve_notification(NULL, 'ecommpay', 'signature', '{}', '\x02', 3600000000);
    ASSERT NOT EXISTS (SELECT FROM paystream.quarantine WHERE id = old), 'an expired body is gone';
END
$$;
