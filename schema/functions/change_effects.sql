-- Creates (0), resends (1), removes (2), revokes (3) and takes for answered (4) effect rows of decided streams; a part of `commit`.
--
-- Revoking closes the send window of a row that was not marked as sending and takes it from its claimer: it expires,
-- which proves that nothing left. A row that was marked stays as it is, because its message may be on the wire.
--
-- Who answers a message holds its fence: under another one the row belongs to somebody else and stays as it is.
--
-- A row that becomes ready gets a new fence, also when it is made again: whoever holds an older claim can't move it. Answers
-- the fences of the rows that are created, each in its change's place: who knows a ready row's fence may mark it without a claim
-- (`mark_sending`).
CREATE OR REPLACE FUNCTION paystream.change_effects(
    verdict int[], u_merchant int[], u_stream uuid[], u_stream_kind int[], f_unit int[], f_change int[], f_id uuid[],
    f_account uuid[], f_ordinal int[], f_template bytea[], f_not_before timestamptz[], f_send_before timestamptz[],
    f_deadline_us bigint[], f_fence bigint[])
RETURNS bigint[] LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    made bigint[] := array_fill(NULL::bigint, ARRAY[cardinality(f_change)]);
BEGIN
    FOR o IN 1..cardinality(f_change) LOOP
        CONTINUE WHEN verdict[f_unit[o]] <> 0;
        IF f_change[o] = 0 THEN
            made[o] := nextval('paystream.fence_seq');
        ELSIF f_change[o] = 2 THEN
            DELETE FROM paystream.effect x WHERE x.merchant = u_merchant[f_unit[o]] AND x.id = f_id[o];
        ELSIF f_change[o] = 1 THEN
            UPDATE paystream.effect x
               SET state = 0, fence = nextval('paystream.fence_seq'), ordinal = f_ordinal[o], owner = NULL,
                   not_before = f_not_before[o], send_before = f_send_before[o], lease_until = f_not_before[o]
             WHERE x.merchant = u_merchant[f_unit[o]] AND x.id = f_id[o];
        ELSIF f_change[o] = 3 THEN
            UPDATE paystream.effect x
               SET state = 0, fence = nextval('paystream.fence_seq'), owner = NULL,
                   send_before = least(x.send_before, statement_timestamp())
             WHERE x.merchant = u_merchant[f_unit[o]] AND x.id = f_id[o] AND x.state < 2;
        ELSIF f_change[o] = 4 THEN
            UPDATE paystream.effect x SET state = 3
             WHERE x.merchant = u_merchant[f_unit[o]] AND x.id = f_id[o] AND x.fence = f_fence[o];
        END IF;
    END LOOP;
    IF 0 = ANY (f_change) THEN
        INSERT INTO paystream.effect AS x
            (not_before, send_before, lease_until, fence, deadline_us, merchant, ordinal, stream_kind, id, stream, account,
             template)
        SELECT f.not_before, f.send_before, f.not_before, f.fence, f.deadline_us, u_merchant[f.unit], f.ordinal,
               u_stream_kind[f.unit], f.id, u_stream[f.unit], f.account, f.template
          FROM unnest(f_unit, f_change, f_id, f_account, f_ordinal, f_template, f_not_before, f_send_before,
                      f_deadline_us, made)
               AS f (unit, change, id, account, ordinal, template, not_before, send_before, deadline_us, fence)
         WHERE verdict[f.unit] = 0 AND f.change = 0 ORDER BY u_merchant[f.unit], f.id
        ON CONFLICT (merchant, id) DO UPDATE
            SET state = 0, fence = EXCLUDED.fence, ordinal = EXCLUDED.ordinal, owner = NULL,
                not_before = EXCLUDED.not_before, send_before = EXCLUDED.send_before,
                lease_until = EXCLUDED.lease_until, deadline_us = EXCLUDED.deadline_us, account = EXCLUDED.account,
                template = EXCLUDED.template, stream = EXCLUDED.stream, stream_kind = EXCLUDED.stream_kind;
    END IF;
    RETURN made;
END
$$;
