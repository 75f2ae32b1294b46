-- Makes room for a copy of a read model in a schema of its own: its tables with the names of their indexes, what counts its rows, and the function
-- that writes them, with the schema's name in it. A copy of that label that was begun before is left as it is.
CREATE OR REPLACE FUNCTION paystream.copy_room(copy text, label text, tables text[], counts text[], apply text) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
DECLARE
    place text;
    found record;
    body text;
BEGIN
    IF obj_description(to_regnamespace(quote_ident(copy)), 'pg_namespace') = label THEN
        RETURN;
    END IF;
    EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', copy);
    EXECUTE format('CREATE SCHEMA %I', copy);
    EXECUTE format('COMMENT ON SCHEMA %I IS %L', copy, label);
    FOREACH place IN ARRAY ARRAY['checkpoint', 'view_quarantine'] || tables || counts LOOP
        SELECT coalesce('WITH (' || array_to_string(c.reloptions, ', ') || ')', '') INTO body
          FROM pg_class c WHERE c.oid = format('paystream.%I', place)::regclass;
        EXECUTE format('CREATE TABLE %I.%I (LIKE paystream.%I INCLUDING ALL EXCLUDING INDEXES) %s', copy, place, place, body);
        -- Under the names that migrations know.
        FOR found IN
            SELECT pg_get_indexdef(i.indexrelid) AS definition, c.conname, c.contype, x.relname
              FROM pg_index i
              JOIN pg_class x ON x.oid = i.indexrelid
              LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.conrelid = i.indrelid AND c.contype IN ('p', 'u')
             WHERE i.indrelid = format('paystream.%I', place)::regclass
        LOOP
            EXECUTE regexp_replace(found.definition, ' ON paystream\.', format(' ON %I.', copy));
            IF found.conname IS NOT NULL THEN
                EXECUTE format('ALTER TABLE %I.%I ADD CONSTRAINT %I %s USING INDEX %I', copy, place, found.conname,
                    CASE found.contype WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, found.relname);
            END IF;
        END LOOP;
    END LOOP;
    -- The very functions, with the copy's tables.
    FOREACH place IN ARRAY ARRAY['move_checkpoint', apply] LOOP
        EXECUTE replace(pg_get_functiondef(format('paystream.%I', place)::regproc), 'paystream.', quote_ident(copy) || '.');
    END LOOP;
    -- What counts rows is found by its triggers; of what it names, the counts alone are the copy's.
    FOR found IN
        SELECT pg_get_triggerdef(t.oid) AS definition, p.oid AS function, p.proname
          FROM unnest(tables) AS u (place)
          JOIN pg_trigger t ON t.tgrelid = format('paystream.%I', u.place)::regclass AND NOT t.tgisinternal
          JOIN pg_proc p ON p.oid = t.tgfoid
    LOOP
        body := pg_get_functiondef(found.function);
        FOREACH place IN ARRAY counts || found.proname::text LOOP
            body := regexp_replace(body, '\mpaystream\.' || place || '\M', format('%I.%I', copy, place), 'g');
        END LOOP;
        EXECUTE body;
        EXECUTE replace(regexp_replace(found.definition, ' ON paystream\.', format(' ON %I.', copy)),
            'EXECUTE FUNCTION paystream.', format('EXECUTE FUNCTION %I.', copy));
    END LOOP;
    -- A daemon tells how far the copy is, and reads nothing else of it.
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'paystream_app') THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO paystream_app', copy);
        EXECUTE format('GRANT SELECT ON %I.checkpoint TO paystream_app', copy);
    END IF;
END
$$;
