-- Counts that keys of data subjects were destroyed. Who destroys one waits for whoever does so now: each is seen once it is committed.
CREATE OR REPLACE FUNCTION paystream.count_erasure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE paystream.erasure SET number = number + 1;
    RETURN NULL;
END
$$;
