-- The SQL entrance: a backend enqueues a command in its own transaction, and reads what became of it by `outcome`. A login
-- that was bound to other merchants knows no other (`bind_login`).
--
-- Only inserts: it takes no lock that anybody waits for, however long the caller's transaction stays open.
-- PS001 unknown merchant · PS002 unknown command · PS003 body is not an object · PS004 key · PS005 body too long
-- PS006 a card number
CREATE OR REPLACE FUNCTION paystream.enqueue(merchant text, key text, name text, body json) RETURNS uuid
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    body_limit CONSTANT int := 65536;
    key_limit CONSTANT int := 255;
    number int;
    made uuid := gen_random_uuid();
    screened jsonb;
    place text[];
BEGIN
    SELECT m.id INTO number FROM paystream.merchant m WHERE m.name = enqueue.merchant AND paystream.is_mine(m.id);
    IF number IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'PS001', MESSAGE = 'no such merchant';
    END IF;
    IF name IS NULL OR name <> ALL (paystream.command_names()) THEN
        RAISE EXCEPTION USING ERRCODE = 'PS002', MESSAGE = 'no such command',
            HINT = 'one of ' || array_to_string(paystream.command_names(), ', ');
    END IF;
    IF body IS NULL OR json_typeof(body) <> 'object' THEN
        RAISE EXCEPTION USING ERRCODE = 'PS003', MESSAGE = 'the body must be a JSON object';
    END IF;
    IF key IS NULL OR octet_length(key) NOT BETWEEN 1 AND key_limit OR key !~ '^[\x21-\x7e]+$' THEN
        RAISE EXCEPTION USING ERRCODE = 'PS004',
            MESSAGE = format('the key must be 1 to %s printable ASCII characters without spaces', key_limit);
    END IF;
    IF octet_length(body::text) > body_limit THEN
        RAISE EXCEPTION USING ERRCODE = 'PS005', MESSAGE = format('the body must have at most %s bytes', body_limit);
    END IF;
    -- What clients give of providers' own is no card number, however it looks: the paths that the API passes over, too.
    BEGIN
        screened := body::jsonb;
    EXCEPTION WHEN untranslatable_character THEN
        RAISE EXCEPTION USING ERRCODE = 'PS003', MESSAGE = 'the body holds a NUL';
    END;
    FOR place IN SELECT i.path FROM paystream.identifier_path i LOOP
        screened := paystream.without_identifier(screened, place);
    END LOOP;
    IF paystream.holds_card_number(screened::text) OR paystream.holds_card_number(key) THEN
        RAISE EXCEPTION USING ERRCODE = 'PS006', MESSAGE = 'card data does not enter here';
    END IF;
    INSERT INTO paystream.inbox (merchant, id, key, name, body)
    VALUES (number, made, enqueue.key, enqueue.name, enqueue.body);
    RETURN made;
END
$$;
