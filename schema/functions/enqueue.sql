-- The SQL entrance: a backend enqueues a command in its own transaction, and reads what became of it by `outcome`.
--
-- Only inserts: it takes no lock that anybody waits for, however long the caller's transaction stays open.
-- PS001 unknown merchant · PS002 unknown command · PS003 body is not an object · PS004 key · PS005 body too long
CREATE OR REPLACE FUNCTION paystream.enqueue(merchant text, key text, name text, body json) RETURNS uuid
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    body_limit CONSTANT int := 65536;
    key_limit CONSTANT int := 255;
    number int;
    made uuid := gen_random_uuid();
BEGIN
    SELECT m.id INTO number FROM paystream.merchant m WHERE m.name = enqueue.merchant;
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
    INSERT INTO paystream.inbox (merchant, id, key, name, body)
    VALUES (number, made, enqueue.key, enqueue.name, enqueue.body);
    RETURN made;
END
$$;
