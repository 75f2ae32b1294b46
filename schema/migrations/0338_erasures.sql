-- Nodes hold keys of data subjects that they have opened: each looks every second how often one was destroyed, by whoever did it.
CREATE TABLE paystream.erasure (
    number bigint NOT NULL
);
INSERT INTO paystream.erasure VALUES (0);

-- Its body comes with the functions of this run.
CREATE FUNCTION paystream.count_erasure() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER counted_erasure AFTER UPDATE OF destroyed_at ON paystream.subject_key
    FOR EACH STATEMENT EXECUTE FUNCTION paystream.count_erasure();
