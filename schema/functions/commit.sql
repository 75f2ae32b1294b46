-- Writes decided inputs of many streams in one transaction, each whole or not at all; what does not stand is a value
-- and stops no neighbour.
--
-- Units come sorted by (merchant, stream), one per stream, with no input and no reference twice. The arrays of inputs
-- run beside the units; references, effects and forwards name their unit by its number, and events, too, in its order and
-- as many as it says.
--
-- Outcomes: 0 committed · 1 duplicate · 2 conflict · 3 busy · 4 fenced · 5 reference taken (by a stream) · 6 the stream is of
-- another kind (`taken_kind`): an id belongs to the kind that its first event was written under. A committed unit also answers
-- when its events were recorded and at which positions, so that its caller need not read them again, and the fences of the
-- messages that it created, in their order (`change_effects`).
--
-- `known_epoch` is when the newest recovery epoch began that the decisions know of: under another one (PS021), or before one
-- that must begin (PS020), nothing is written. What they were made from may be a history that the log has lost.
--
-- Order of locks: mailboxes, streams, then unique keys, each sorted. A race on a unique key raises: the caller repeats
-- the batch and meets the winner's row. No EXCEPTION block here: a rolled-back savepoint would drop the floor.
--
-- Plans outlive the sizes that they were made for, so that none may have a choice: arrays meet tables in LATERAL
-- subqueries with OFFSET 0, or row by row; a free join would read a whole table that was nearly empty when it was
-- planned.
--
-- Most commits are of one stream, so that what a statement costs before its first row counts most: each runs only if there
-- is something for it, and touches one array and the others by subscript, because every array in FROM is copied.
CREATE OR REPLACE FUNCTION paystream.commit(
    known_epoch timestamptz,
    u_merchant int[], u_stream uuid[], u_stream_kind int[], u_input uuid[], u_fence bigint[], u_base int[],
    u_events int[], u_code text[], u_detail json[], u_context json[], u_versions json[], u_mac bytea[],
    u_machine timestamptz[], u_business timestamptz[],
    i_kind int[], i_name text[], i_meta json[], i_body bytea[], i_received timestamptz[],
    e_unit int[], e_ver int[], e_type text[], e_data json[],
    r_unit int[], r_account uuid[], r_kind text[], r_value text[],
    f_unit int[], f_change int[], f_id uuid[], f_account uuid[], f_ordinal int[], f_template bytea[],
    f_not_before timestamptz[], f_send_before timestamptz[], f_deadline_us bigint[], f_fence bigint[],
    w_unit int[], w_merchant int[], w_stream uuid[], w_stream_kind int[], w_id uuid[], w_kind int[], w_name text[],
    w_meta json[], w_body bytea[], w_received timestamptz[])
RETURNS TABLE (outcome int, version int, pos bigint, taken int, taken_by uuid, taken_kind smallint, at timestamptz,
               event_pos bigint[], fences bigint[])
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    units CONSTANT int := cardinality(u_stream);
    events CONSTANT int := cardinality(e_unit);
    has_new CONSTANT boolean := num_nulls(VARIADIC u_fence) > 0;
    has_admitted CONSTANT boolean := num_nonnulls(VARIADIC u_fence) > 0;
    stamp timestamptz;
    verdict int[] := array_fill(0, ARRAY[units]);
    answer int[];
    stopped int[] := '{}';
    taken_ref int[];
    owners uuid[];
    owner_kinds smallint[];
    kept bigint[] := '{}';
    made_merchant int[];
    made_stream uuid[];
    made int := 1;
    drawn bigint[];
    made_fences bigint[];
    told int := 0;
    o int;
    r record;
BEGIN
    IF paystream.epoch_here() IS DISTINCT FROM known_epoch THEN
        RAISE EXCEPTION USING ERRCODE = 'PS021', MESSAGE = 'a recovery epoch has begun';
    END IF;

    -- 1. Hold the mailboxes whose inputs are decided here.
    IF has_admitted THEN
        PERFORM FROM unnest(u_merchant, u_stream, u_fence) AS u (m, s, f)
                CROSS JOIN LATERAL (
                    SELECT FROM paystream.mail b WHERE b.merchant = u.m AND b.stream = u.s FOR UPDATE) b
          WHERE u.f IS NOT NULL;
    END IF;

    -- 2. Look for what stops a unit, in snapshots that are later than those locks: a new input that is known or has others
    --    before it, an admitted one that is decided or not held. Versions are left to step 3.
    IF has_new THEN
        stopped := ARRAY(
            SELECT u.o::int FROM unnest(u_input) WITH ORDINALITY AS u (i, o)
                   LEFT JOIN LATERAL (
                       SELECT x.id FROM paystream.input x WHERE x.merchant = u_merchant[u.o] AND x.id = u.i OFFSET 0) i
                       ON true
                   LEFT JOIN LATERAL (
                       SELECT x.stream FROM paystream.mail x
                        WHERE x.merchant = u_merchant[u.o] AND x.stream = u_stream[u.o] OFFSET 0) b ON true
             WHERE u_fence[u.o] IS NULL AND (i.id IS NOT NULL OR b.stream IS NOT NULL));
    END IF;
    IF has_admitted THEN
        stopped := stopped || ARRAY(
            SELECT u.o::int FROM unnest(u_input) WITH ORDINALITY AS u (i, o)
                   LEFT JOIN LATERAL (
                       SELECT x.input FROM paystream.decision x
                        WHERE x.merchant = u_merchant[u.o] AND x.input = u.i OFFSET 0) d ON true
                   LEFT JOIN LATERAL (
                       SELECT x.fence FROM paystream.mail x JOIN paystream.undecided w USING (merchant, stream)
                        WHERE x.merchant = u_merchant[u.o] AND x.stream = u_stream[u.o] AND w.input = u.i OFFSET 0) b
                       ON true
             WHERE u_fence[u.o] IS NOT NULL AND (d.input IS NOT NULL OR b.fence IS DISTINCT FROM u_fence[u.o]));
    END IF;
    FOREACH o IN ARRAY stopped LOOP
        answer[o] := (SELECT d.base + d.events FROM paystream.decision d
                       WHERE d.merchant = u_merchant[o] AND d.input = u_input[o]);
        verdict[o] := CASE WHEN answer[o] IS NOT NULL THEN 1 WHEN u_fence[o] IS NULL THEN 3 ELSE 4 END;
    END LOOP;
    -- Who was overtaken hears of that and not of references, which another version may not name.
    IF cardinality(r_unit) > 0 THEN
        FOR r IN
            SELECT u.unit, u.o, x.stream, x.stream_kind, x.stream = u_stream[u.unit] AS own
              FROM unnest(r_unit, r_account, r_kind, r_value) WITH ORDINALITY AS u (unit, account, kind, value, o)
                   CROSS JOIN LATERAL (
                       SELECT y.stream, y.stream_kind FROM paystream.reference y
                        WHERE y.merchant = u_merchant[u.unit] AND y.account = u.account AND y.kind = u.kind
                          AND y.value = u.value OFFSET 0) x
                   LEFT JOIN LATERAL (
                       SELECT y.ver, y.kind FROM paystream.stream y
                        WHERE y.merchant = u_merchant[u.unit] AND y.id = u_stream[u.unit] OFFSET 0) s ON true
             WHERE verdict[u.unit] = 0
               AND (u_base[u.unit] = 0 OR s.ver = u_base[u.unit] AND s.kind = u_stream_kind[u.unit])
             ORDER BY u.o
        LOOP
            IF r.own THEN
                kept := kept || r.o;
            ELSIF verdict[r.unit] = 0 THEN
                verdict[r.unit] := 5;
                taken_ref[r.unit] := r.o;
                owners[r.unit] := r.stream;
                owner_kinds[r.unit] := r.stream_kind;
            END IF;
        END LOOP;
    END IF;

    -- 3. Move the streams; whoever was overtaken is a duplicate or a conflict. A stream that is written without events is
    --    held as well: its timers must not be replaced by those of an older decision.
    IF 0 = ANY (u_base) THEN
        WITH rows AS (
            INSERT INTO paystream.stream AS x (merchant, id, kind, ver, floor_pos)
            SELECT u_merchant[u.o], u.s, u_stream_kind[u.o], u_events[u.o],
                   (SELECT CASE WHEN q.is_called THEN q.last_value ELSE 0 END FROM paystream.pos_seq q)
              FROM unnest(u_stream) WITH ORDINALITY AS u (s, o)
             WHERE verdict[u.o] = 0 AND u_base[u.o] = 0 ORDER BY u.o
            ON CONFLICT (merchant, id) DO UPDATE
                SET kind = EXCLUDED.kind, ver = EXCLUDED.ver, floor_pos = EXCLUDED.floor_pos
             WHERE x.ver = 0
            RETURNING x.merchant, x.id)
        SELECT array_agg(rows.merchant), array_agg(rows.id) INTO made_merchant, made_stream FROM rows;
    END IF;
    FOR o IN 1..units LOOP
        CONTINUE WHEN verdict[o] <> 0;
        IF u_base[o] > 0 THEN
            UPDATE paystream.stream x SET ver = x.ver + u_events[o]
             WHERE x.merchant = u_merchant[o] AND x.id = u_stream[o] AND x.ver = u_base[o]
               AND x.kind = u_stream_kind[o];
            CONTINUE WHEN FOUND;
        ELSIF made_stream[made] = u_stream[o] AND made_merchant[made] = u_merchant[o] THEN
            made := made + 1;
            CONTINUE;
        END IF;
        answer[o] := (SELECT d.base + d.events FROM paystream.decision d
                       WHERE d.merchant = u_merchant[o] AND d.input = u_input[o]);
        verdict[o] := CASE WHEN answer[o] IS NULL THEN 2 ELSE 1 END;
        CONTINUE WHEN verdict[o] = 1;
        FOR r IN SELECT x.ver, x.kind FROM paystream.stream x WHERE x.merchant = u_merchant[o] AND x.id = u_stream[o]
        LOOP
            answer[o] := r.ver;
            IF r.ver > 0 AND r.kind <> u_stream_kind[o] THEN
                verdict[o] := 6;
                owner_kinds[o] := r.kind;
            END IF;
        END LOOP;
    END LOOP;

    -- 4. Publish the floor, then draw positions: inputs, events, decisions.
    IF 0 = ANY (verdict) THEN
        PERFORM paystream.publish_floor();
        IF has_new THEN
            INSERT INTO paystream.input (pos, received_at, merchant, stream_kind, kind, id, stream, name, meta, body)
            SELECT nextval('paystream.pos_seq'), i_received[u.o], u_merchant[u.o], u_stream_kind[u.o], i_kind[u.o], u.i,
                   u_stream[u.o], i_name[u.o], i_meta[u.o], i_body[u.o]
              FROM unnest(u_input) WITH ORDINALITY AS u (i, o)
             WHERE verdict[u.o] = 0 AND u_fence[u.o] IS NULL ORDER BY u.o;
        END IF;
        -- Whoever waited before is no earlier than who passed him meanwhile.
        stamp := clock_timestamp();
        drawn := ARRAY(SELECT nextval('paystream.pos_seq') FROM generate_series(1, events + units));
        IF events > 0 THEN
            INSERT INTO paystream.event (pos, at, merchant, ver, stream_kind, stream, cause, type, data)
            SELECT drawn[e.o], stamp, u_merchant[e.unit], e_ver[e.o], u_stream_kind[e.unit], u_stream[e.unit],
                   u_input[e.unit], e_type[e.o], e_data[e.o]
              FROM unnest(e_unit) WITH ORDINALITY AS e (unit, o) WHERE verdict[e.unit] = 0;
        END IF;
        INSERT INTO paystream.decision
            (pos, merchant, stream_kind, events, base, input, stream, code, detail, context, versions)
        SELECT drawn[events + u.o], u_merchant[u.o], u_stream_kind[u.o], u_events[u.o], u_base[u.o], u.i, u_stream[u.o],
               u_code[u.o], u_detail[u.o], u_context[u.o], u_versions[u.o]
          FROM unnest(u_input) WITH ORDINALITY AS u (i, o) WHERE verdict[u.o] = 0;
        -- The keys of commands are kept for ever; the SQL entrance has written its own before, without a version.
        IF num_nonnulls(VARIADIC u_mac) > 0 THEN
            INSERT INTO paystream.idempotency (merchant, stream_kind, input, stream, version, mac)
            SELECT u_merchant[u.o], u_stream_kind[u.o], u.i, u_stream[u.o], u_base[u.o] + u_events[u.o], u_mac[u.o]
              FROM unnest(u_input) WITH ORDINALITY AS u (i, o)
             WHERE verdict[u.o] = 0 AND u_mac[u.o] IS NOT NULL ORDER BY u_merchant[u.o], u.i
            ON CONFLICT (merchant, input) DO UPDATE
                SET version = EXCLUDED.version, mac = EXCLUDED.mac, stream = EXCLUDED.stream,
                    stream_kind = EXCLUDED.stream_kind;
        END IF;
        IF has_admitted THEN
            FOR o IN 1..units LOOP
                CONTINUE WHEN verdict[o] <> 0 OR u_fence[o] IS NULL OR u_mac[o] IS NOT NULL;
                UPDATE paystream.idempotency k SET version = u_base[o] + u_events[o]
                 WHERE k.merchant = u_merchant[o] AND k.input = u_input[o] AND k.version IS NULL;
            END LOOP;
            PERFORM paystream.settle_mail(verdict, u_merchant, u_stream, u_input, u_fence);
        END IF;
        IF cardinality(r_unit) > 0 THEN
            INSERT INTO paystream.reference (merchant, stream_kind, account, stream, kind, value)
            SELECT u_merchant[u.unit], u_stream_kind[u.unit], u.account, u_stream[u.unit], u.kind, u.value
              FROM unnest(r_unit, r_account, r_kind, r_value) WITH ORDINALITY AS u (unit, account, kind, value, o)
             WHERE verdict[u.unit] = 0 AND u.o <> ALL (kept)
             ORDER BY u_merchant[u.unit], u.account, u.kind, u.value;
        END IF;
        IF cardinality(f_unit) > 0 THEN
            made_fences := paystream.change_effects(verdict, u_merchant, u_stream, u_stream_kind, f_unit, f_change,
                f_id, f_account, f_ordinal, f_template, f_not_before, f_send_before, f_deadline_us, f_fence);
        END IF;
        PERFORM paystream.arm(verdict, u_merchant, u_stream, u_stream_kind, u_machine, u_business);
        IF cardinality(w_unit) > 0 THEN
            PERFORM paystream.admit(array_agg(w.m), array_agg(w.s), array_agg(w.sk), array_agg(w.id), array_agg(w.k),
                    array_agg(w.name), array_agg(w.meta), array_agg(w.body), array_agg(w.received))
               FROM unnest(w_unit, w_merchant, w_stream, w_stream_kind, w_id, w_kind, w_name, w_meta, w_body,
                           w_received) AS w (unit, m, s, sk, id, k, name, meta, body, received)
              WHERE verdict[w.unit] = 0 HAVING count(*) > 0;
        END IF;
    END IF;

    at := coalesce(stamp, clock_timestamp());
    FOR o IN 1..units LOOP
        outcome := verdict[o];
        IF outcome = 0 THEN
            version := u_base[o] + u_events[o];
            pos := drawn[events + o];
            event_pos := drawn[told + 1:told + u_events[o]];
        ELSE
            version := coalesce(answer[o], 0);
            pos := NULL;
            event_pos := '{}';
        END IF;
        told := told + u_events[o];
        fences := '{}';
        IF made_fences IS NOT NULL AND outcome = 0 THEN
            fences := ARRAY(SELECT made_fences[f.place] FROM unnest(f_unit) WITH ORDINALITY AS f (unit, place)
                             WHERE f.unit = o AND f_change[f.place] = 0 ORDER BY f.place);
        END IF;
        taken := taken_ref[o];
        taken_by := owners[o];
        taken_kind := owner_kinds[o];
        RETURN NEXT;
    END LOOP;
END
$$;

-- A part of it once; it goes with what called it, so that no commit of a running node misses it.
DROP FUNCTION IF EXISTS paystream.keep_commands;
