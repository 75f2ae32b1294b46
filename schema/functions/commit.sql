-- Writes decided inputs of many streams in one transaction, each whole or not at all; what does not stand is a value
-- and stops no neighbour.
--
-- Units come sorted by (merchant, stream), one per stream, with no input and no reference twice. The arrays of inputs
-- run beside the units; events, references, effects and forwards name their unit by its number.
--
-- Outcomes: 0 committed · 1 duplicate · 2 conflict · 3 busy · 4 fenced · 5 reference taken (by a stream) · 6 the stream is of
-- another kind (`taken_kind`): an id belongs to the kind that its first event was written under. A committed unit also answers when its events were recorded and at which positions, so that its caller need not read them again.
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
               event_pos bigint[])
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    units CONSTANT int := cardinality(u_stream);
    has_admitted CONSTANT boolean := EXISTS (SELECT FROM unnest(u_fence) f WHERE f IS NOT NULL);
    verdict int[];
    answer int[];
    drawn bigint[];
    e_pos bigint[];
    stamp CONSTANT timestamptz := clock_timestamp();
    born text[];
    all_born boolean;
    taken_ref int[] := array_fill(NULL::int, ARRAY[units]);
    owners uuid[] := array_fill(NULL::uuid, ARRAY[units]);
    owner_kinds smallint[] := array_fill(NULL::smallint, ARRAY[units]);
    low bigint;
    kept bigint[] := '{}';
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

    -- 2. Look at everything in a snapshot that is later than those locks. A new stream's version is left to step 3.
    SELECT array_agg(v.verdict ORDER BY v.o), array_agg(v.answer ORDER BY v.o),
           array_agg(CASE WHEN v.verdict = 6 THEN v.kind END ORDER BY v.o) INTO verdict, answer, owner_kinds FROM (
        SELECT u.o,
               CASE WHEN d.input IS NOT NULL THEN 1
                    WHEN u.f IS NULL AND (i.id IS NOT NULL OR EXISTS (
                        SELECT FROM paystream.mail b WHERE b.merchant = u.m AND b.stream = u.s)) THEN 3
                    WHEN u.f IS NOT NULL AND NOT EXISTS (
                        SELECT FROM paystream.mail b JOIN paystream.undecided w USING (merchant, stream)
                         WHERE b.merchant = u.m AND b.stream = u.s AND b.fence = u.f AND w.input = u.i) THEN 4
                    WHEN x.ver > 0 AND x.kind <> u.k THEN 6
                    WHEN u.b > 0 AND coalesce(x.ver, 0) <> u.b THEN 2
                    ELSE 0 END AS verdict,
               coalesce(d.base + d.events, x.ver, 0) AS answer, x.kind
          FROM unnest(u_merchant, u_stream, u_stream_kind, u_input, u_fence, u_base)
               WITH ORDINALITY AS u (m, s, k, i, f, b, o)
               -- A NULL key costs no look into the index: an unknown input has no decision.
               LEFT JOIN LATERAL (
                   SELECT x.id FROM paystream.input x
                    WHERE x.merchant = CASE WHEN u.f IS NULL THEN u.m END AND x.id = u.i OFFSET 0) i ON true
               LEFT JOIN LATERAL (
                   SELECT x.input, x.base, x.events FROM paystream.decision x
                    WHERE x.merchant = CASE WHEN u.f IS NOT NULL OR i.id IS NOT NULL THEN u.m END AND x.input = u.i
                   OFFSET 0) d ON true
               LEFT JOIN LATERAL (
                   SELECT x.ver, x.kind FROM paystream.stream x
                    WHERE x.merchant = CASE WHEN u.b > 0 THEN u.m END AND x.id = u.s OFFSET 0) x ON true) v;
    IF cardinality(r_unit) > 0 THEN
        FOR r IN
            SELECT u.unit, u.o, x.stream, x.stream_kind, x.stream = u_stream[u.unit] AS own
              FROM unnest(r_unit, r_account, r_kind, r_value) WITH ORDINALITY AS u (unit, account, kind, value, o)
                   CROSS JOIN LATERAL (
                       SELECT y.stream, y.stream_kind FROM paystream.reference y
                        WHERE y.merchant = u_merchant[u.unit] AND y.account = u.account AND y.kind = u.kind
                          AND y.value = u.value OFFSET 0) x
             WHERE verdict[u.unit] = 0 ORDER BY u.o
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

    -- 3. Move the streams; whoever was overtaken since is a duplicate or a conflict. A stream that is written without
    --    events is held as well: its timers must not be replaced by those of an older decision.
    SELECT CASE WHEN q.is_called THEN q.last_value ELSE 0 END INTO low FROM paystream.pos_seq q;
    WITH made AS (
        INSERT INTO paystream.stream AS x (merchant, id, kind, ver, floor_pos)
        SELECT u.m, u.s, u.k, u.n, low
          FROM unnest(u_merchant, u_stream, u_stream_kind, u_base, u_events) WITH ORDINALITY AS u (m, s, k, b, n, o)
         WHERE verdict[u.o] = 0 AND u.b = 0 ORDER BY u.m, u.s
        ON CONFLICT (merchant, id) DO UPDATE SET kind = EXCLUDED.kind, ver = EXCLUDED.ver, floor_pos = EXCLUDED.floor_pos
         WHERE x.ver = 0
        RETURNING x.merchant || '/' || x.id AS name)
    SELECT coalesce(array_agg(made.name), '{}') INTO born FROM made;
    all_born := cardinality(born) = (SELECT count(*) FROM unnest(verdict, u_base) AS u (v, b) WHERE u.v = 0 AND u.b = 0);
    FOR o IN 1..units LOOP
        CONTINUE WHEN verdict[o] <> 0
            OR u_base[o] = 0 AND (all_born OR u_merchant[o] || '/' || u_stream[o] = ANY (born));
        IF u_base[o] > 0 THEN
            UPDATE paystream.stream x SET ver = x.ver + u_events[o]
             WHERE x.merchant = u_merchant[o] AND x.id = u_stream[o] AND x.ver = u_base[o];
            CONTINUE WHEN FOUND;
        END IF;
        answer[o] := (SELECT d.base + d.events FROM paystream.decision d
                       WHERE d.merchant = u_merchant[o] AND d.input = u_input[o]);
        verdict[o] := CASE WHEN answer[o] IS NULL THEN 2 ELSE 1 END;
        CONTINUE WHEN verdict[o] = 1;
        answer[o] := 0;
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
        INSERT INTO paystream.input (pos, received_at, merchant, stream_kind, kind, id, stream, name, meta, body)
        SELECT nextval('paystream.pos_seq'), u.received, u.m, u.sk, u.k, u.i, u.s, u.name, u.meta, u.body
          FROM unnest(u_merchant, u_stream, u_stream_kind, u_input, u_fence, i_kind, i_name, i_meta, i_body,
                      i_received)
               WITH ORDINALITY AS u (m, s, sk, i, f, k, name, meta, body, received, o)
         WHERE verdict[u.o] = 0 AND u.f IS NULL;
        IF cardinality(e_unit) > 0 THEN
            e_pos := ARRAY(SELECT CASE WHEN verdict[e] = 0 THEN nextval('paystream.pos_seq') END
                             FROM unnest(e_unit) WITH ORDINALITY AS u (e, o) ORDER BY u.o);
            INSERT INTO paystream.event (pos, at, merchant, ver, stream_kind, stream, cause, type, data)
            SELECT e.pos, stamp, u_merchant[e.unit], e.ver, u_stream_kind[e.unit], u_stream[e.unit], u_input[e.unit],
                   e.type, e.data
              FROM unnest(e_pos, e_unit, e_ver, e_type, e_data) AS e (pos, unit, ver, type, data)
             WHERE e.pos IS NOT NULL;
        END IF;
        drawn := ARRAY(SELECT CASE WHEN v = 0 THEN nextval('paystream.pos_seq') END FROM unnest(verdict) v);
        INSERT INTO paystream.decision
            (pos, merchant, stream_kind, events, base, input, stream, code, detail, context, versions)
        SELECT drawn[u.o], u.m, u.sk, u.n, u.b, u.i, u.s, u.code, u.detail, u.context, u.versions
          FROM unnest(u_merchant, u_stream, u_stream_kind, u_input, u_base, u_events, u_code, u_detail, u_context,
                      u_versions)
               WITH ORDINALITY AS u (m, s, sk, i, b, n, code, detail, context, versions, o)
         WHERE verdict[u.o] = 0;
        PERFORM paystream.keep_commands(verdict, u_merchant, u_stream, u_stream_kind, u_input, u_fence, u_base,
            u_events, u_mac);
        IF has_admitted THEN
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
            PERFORM paystream.change_effects(verdict, u_merchant, u_stream, u_stream_kind, f_unit, f_change, f_id,
                f_account, f_ordinal, f_template, f_not_before, f_send_before, f_deadline_us, f_fence);
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

    RETURN QUERY
    SELECT v.verdict, CASE WHEN v.verdict = 0 THEN v.base + v.events ELSE v.answer END, v.place, v.ref, v.by, v.kind, stamp,
           ARRAY(SELECT e.pos FROM unnest(e_pos, e_unit) AS e (pos, unit) WHERE e.unit = v.o AND e.pos IS NOT NULL
                  ORDER BY e.pos)
      FROM unnest(verdict, answer, drawn, taken_ref, owners, owner_kinds, u_base, u_events)
           WITH ORDINALITY AS v (verdict, answer, place, ref, by, kind, base, events, o) ORDER BY v.o;
END
$$;
