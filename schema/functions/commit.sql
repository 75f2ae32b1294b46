-- Writes decided inputs of many streams in one transaction, each whole or not at all; what does not stand is a value
-- and stops no neighbour.
--
-- Units come sorted by (merchant, stream), one per stream, with no input and no reference twice. The arrays of inputs
-- run beside the units; events, references, effects and forwards name their unit by its number.
--
-- Outcomes: 0 committed · 1 duplicate · 2 conflict · 3 busy · 4 fenced · 5 reference taken (by a stream).
--
-- Order of locks: mailboxes, streams, then unique keys, each sorted. A race on a unique key raises: the caller repeats
-- the batch and meets the winner's row. No EXCEPTION block here: a rolled-back savepoint would drop the floor.
CREATE OR REPLACE FUNCTION paystream.commit(
    u_merchant int[], u_stream uuid[], u_stream_kind int[], u_input uuid[], u_fence bigint[], u_base int[],
    u_events int[], u_code text[], u_detail json[], u_context json[], u_versions json[], u_mac bytea[],
    u_machine timestamptz[], u_business timestamptz[],
    i_kind int[], i_name text[], i_meta json[], i_body bytea[], i_received timestamptz[],
    e_unit int[], e_ver int[], e_type text[], e_data json[],
    r_unit int[], r_account uuid[], r_kind text[], r_value text[],
    f_unit int[], f_change int[], f_id uuid[], f_account uuid[], f_ordinal int[], f_template bytea[],
    f_not_before timestamptz[], f_send_before timestamptz[], f_deadline_us bigint[],
    w_unit int[], w_merchant int[], w_stream uuid[], w_stream_kind int[], w_id uuid[], w_kind int[], w_name text[],
    w_meta json[], w_body bytea[], w_received timestamptz[])
RETURNS TABLE (outcome int, version int, pos bigint, taken int, taken_by uuid, taken_kind smallint)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
DECLARE
    units CONSTANT int := cardinality(u_stream);
    has_admitted CONSTANT boolean := EXISTS (SELECT FROM unnest(u_fence) f WHERE f IS NOT NULL);
    verdict int[];
    answer int[];
    drawn bigint[];
    moved int[];
    born text[];
    taken_ref int[] := array_fill(NULL::int, ARRAY[units]);
    owners uuid[] := array_fill(NULL::uuid, ARRAY[units]);
    owner_kinds smallint[] := array_fill(NULL::smallint, ARRAY[units]);
    low bigint;
    r record;
BEGIN
    -- 1. Hold the mailboxes whose inputs are decided here.
    IF has_admitted THEN
        PERFORM FROM unnest(u_merchant, u_stream, u_fence) AS u (m, s, f)
                JOIN paystream.mail b ON b.merchant = u.m AND b.stream = u.s
          WHERE u.f IS NOT NULL ORDER BY b.merchant, b.stream FOR UPDATE OF b;
    END IF;

    -- 2. Look at everything in a snapshot that is later than those locks.
    SELECT array_agg(v.verdict ORDER BY v.o), array_agg(v.answer ORDER BY v.o) INTO verdict, answer FROM (
        SELECT u.o,
               CASE WHEN d.input IS NOT NULL THEN 1
                    WHEN u.f IS NULL AND (
                        EXISTS (SELECT FROM paystream.input i WHERE i.merchant = u.m AND i.id = u.i)
                        OR EXISTS (SELECT FROM paystream.mail b WHERE b.merchant = u.m AND b.stream = u.s)) THEN 3
                    WHEN u.f IS NOT NULL AND NOT EXISTS (
                        SELECT FROM paystream.mail b JOIN paystream.undecided w USING (merchant, stream)
                         WHERE b.merchant = u.m AND b.stream = u.s AND b.fence = u.f AND w.input = u.i) THEN 4
                    WHEN coalesce(x.ver, 0) <> u.b THEN 2
                    ELSE 0 END AS verdict,
               CASE WHEN d.input IS NOT NULL THEN d.base + d.events ELSE coalesce(x.ver, 0) END AS answer
          FROM unnest(u_merchant, u_stream, u_input, u_fence, u_base) WITH ORDINALITY AS u (m, s, i, f, b, o)
               LEFT JOIN paystream.decision d ON d.merchant = u.m AND d.input = u.i
               LEFT JOIN paystream.stream x ON x.merchant = u.m AND x.id = u.s) v;
    IF cardinality(r_unit) > 0 THEN
        FOR r IN
            SELECT DISTINCT ON (u.unit) u.unit, u.o, x.stream, x.stream_kind
              FROM unnest(r_unit, r_account, r_kind, r_value) WITH ORDINALITY AS u (unit, account, kind, value, o)
                   JOIN paystream.reference x ON x.merchant = u_merchant[u.unit] AND x.account = u.account
                        AND x.kind = u.kind AND x.value = u.value AND x.stream <> u_stream[u.unit]
             WHERE verdict[u.unit] = 0 ORDER BY u.unit, u.o
        LOOP
            verdict[r.unit] := 5;
            taken_ref[r.unit] := r.o;
            owners[r.unit] := r.stream;
            owner_kinds[r.unit] := r.stream_kind;
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
        ON CONFLICT (merchant, id) DO UPDATE SET ver = EXCLUDED.ver, floor_pos = EXCLUDED.floor_pos WHERE x.ver = 0
        RETURNING x.merchant || '/' || x.id AS name)
    SELECT coalesce(array_agg(made.name), '{}') INTO born FROM made;
    WITH held AS (
        UPDATE paystream.stream x SET ver = x.ver + u.n
          FROM unnest(u_merchant, u_stream, u_base, u_events) WITH ORDINALITY AS u (m, s, b, n, o)
         WHERE verdict[u.o] = 0 AND u.b > 0 AND x.merchant = u.m AND x.id = u.s AND x.ver = u.b
        RETURNING u.o)
    SELECT coalesce(array_agg(held.o), '{}') INTO moved FROM held;
    IF cardinality(born) + cardinality(moved) < (SELECT count(*) FROM unnest(verdict) v WHERE v = 0) THEN
        FOR r IN
            SELECT u.o, d.input IS NOT NULL AS decided, coalesce(d.base + d.events, x.ver, 0) AS ver
              FROM unnest(u_merchant, u_stream, u_input, u_base) WITH ORDINALITY AS u (m, s, i, b, o)
                   LEFT JOIN paystream.decision d ON d.merchant = u.m AND d.input = u.i
                   LEFT JOIN paystream.stream x ON x.merchant = u.m AND x.id = u.s
             WHERE verdict[u.o] = 0
               AND CASE WHEN u.b = 0 THEN u.m || '/' || u.s <> ALL (born) ELSE u.o <> ALL (moved) END
        LOOP
            verdict[r.o] := CASE WHEN r.decided THEN 1 ELSE 2 END;
            answer[r.o] := r.ver;
        END LOOP;
    END IF;

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
            INSERT INTO paystream.event (pos, merchant, ver, stream_kind, stream, cause, type, data)
            SELECT nextval('paystream.pos_seq'), u_merchant[e.unit], e.ver, u_stream_kind[e.unit], u_stream[e.unit],
                   u_input[e.unit], e.type, e.data
              FROM unnest(e_unit, e_ver, e_type, e_data) AS e (unit, ver, type, data)
             WHERE verdict[e.unit] = 0;
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
            INSERT INTO paystream.reference AS x (merchant, stream_kind, account, stream, kind, value)
            SELECT u_merchant[u.unit], u_stream_kind[u.unit], u.account, u_stream[u.unit], u.kind, u.value
              FROM unnest(r_unit, r_account, r_kind, r_value) AS u (unit, account, kind, value)
             WHERE verdict[u.unit] = 0 AND NOT EXISTS (
                    SELECT FROM paystream.reference x WHERE x.merchant = u_merchant[u.unit]
                       AND x.account = u.account AND x.kind = u.kind AND x.value = u.value)
             ORDER BY 1, 3, 5, 6;
        END IF;
        IF cardinality(f_unit) > 0 THEN
            PERFORM paystream.change_effects(verdict, u_merchant, u_stream, u_stream_kind, f_unit, f_change, f_id,
                f_account, f_ordinal, f_template, f_not_before, f_send_before, f_deadline_us);
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
    SELECT v.verdict, CASE WHEN v.verdict = 0 THEN v.base + v.events ELSE v.answer END, v.place, v.ref, v.by, v.kind
      FROM unnest(verdict, answer, drawn, taken_ref, owners, owner_kinds, u_base, u_events)
           AS v (verdict, answer, place, ref, by, kind, base, events);
END
$$;
