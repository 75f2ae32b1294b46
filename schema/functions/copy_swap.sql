-- Lets the tables of a copy take the place of those of the same names, with all that hangs on these: owners, grants, policies, triggers, comments
-- and the views that read them. No row is written. Readers wait for a moment; where one of them reads for long, it is tried again, and nobody waits
-- behind it meanwhile. What could not go along stops the swap.
CREATE OR REPLACE FUNCTION paystream.copy_swap(copy text, tables text[]) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $$
DECLARE
    most CONSTANT int := 600;
    behind CONSTANT text := copy || '_behind';
    patience CONSTANT text := current_setting('lock_timeout');
    along text[];
    place text;
    statement text;
BEGIN
    FOR attempt IN 1 .. most LOOP
        BEGIN
            -- The longer wait lets autovacuum give way.
            PERFORM set_config('lock_timeout', CASE WHEN attempt % 4 = 0 THEN '1500ms' ELSE '500ms' END, true);
            -- As readers do: a view first, and then what it reads. An owner that stays takes hold of the view alone.
            FOR statement IN
                SELECT format('ALTER VIEW %s OWNER TO %I', v.view, pg_get_userbyid(c.relowner))
                  FROM paystream.copy_readers(tables) AS v (view) JOIN pg_class c ON c.oid = v.view ORDER BY 1
            LOOP
                EXECUTE statement;
            END LOOP;
            FOREACH place IN ARRAY tables LOOP
                EXECUTE format('LOCK TABLE paystream.%I IN ACCESS EXCLUSIVE MODE', place);
            END LOOP;
            PERFORM set_config('lock_timeout', '500ms', true);
            along := paystream.copy_along(tables);
            EXECUTE format('CREATE SCHEMA %I', behind);
            FOREACH place IN ARRAY tables LOOP
                EXECUTE format('ALTER TABLE paystream.%I SET SCHEMA %I', place, behind);
                FOR statement IN
                    SELECT format('DROP TRIGGER %I ON %I.%I', t.tgname, copy, place)
                      FROM pg_trigger t WHERE t.tgrelid = format('%I.%I', copy, place)::regclass AND NOT t.tgisinternal
                LOOP
                    EXECUTE statement;
                END LOOP;
                EXECUTE format('ALTER TABLE %I.%I SET SCHEMA paystream', copy, place);
            END LOOP;
            FOREACH statement IN ARRAY along LOOP
                EXECUTE statement;
            END LOOP;
            IF 'money_count' = ANY (tables) THEN
                -- Entries of settlement are counted beside movements, and are none of the copy's.
                EXECUTE format('INSERT INTO paystream.money_count SELECT * FROM %I.money_count WHERE NOT is_movement', behind);
            END IF;
            -- Whatever still hangs on them refuses this.
            FOREACH place IN ARRAY tables LOOP
                EXECUTE format('DROP TABLE %I.%I', behind, place);
            END LOOP;
            EXECUTE format('DROP SCHEMA %I', behind);
            PERFORM set_config('lock_timeout', patience, true);
            RETURN;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            IF attempt = most THEN
                RAISE EXCEPTION USING ERRCODE = 'lock_not_available', MESSAGE = 'somebody reads the tables for minutes; swap again later';
            END IF;
        END;
        PERFORM pg_sleep(0.2);
    END LOOP;
END
$$;
