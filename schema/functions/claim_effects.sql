-- Claims up to 20 effects that are ready and inside their send window; a claim is a lease and proves nothing.
--
-- The claim goes round the accounts, from the one behind `after_account` on, and shares its places among up to 20 of them that have
-- something due; within an account the oldest come first. Where all of those have messages alone whose window is over, it goes on with the
-- next ones. `rooms` says how many a named account may still have, `room` how many
-- any other; the accounts of `full_merchants` get nothing. So it costs the same, however much one account has waiting.
-- Where the log has come to another cluster, nothing is claimed before a recovery epoch has begun (`epoch_here`).
CREATE OR REPLACE FUNCTION paystream.claim_effects(
    claimer text, lease_us bigint, most int DEFAULT 20, room int DEFAULT 20,
    room_accounts uuid[] DEFAULT '{}', rooms int[] DEFAULT '{}',
    after_account uuid DEFAULT '00000000-0000-0000-0000-000000000000', full_merchants int[] DEFAULT '{}')
RETURNS TABLE (merchant int, stream_kind smallint, stream uuid, id uuid, fence bigint, account uuid, ordinal int,
    template bytea, not_before timestamptz, send_before timestamptz, deadline_us bigint, lease_until timestamptz)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    free int := least(most, 20);
    at_account uuid := after_account;
    is_second boolean := false;
    is_round boolean := false;
    accounts uuid[];
    -- How many each of them may still have.
    open int[];
    has int;
    share int;
    got int;
    r record;
BEGIN
    PERFORM paystream.epoch_here();
    -- As long as nothing is found, and until all accounts were looked at.
    WHILE NOT is_round AND free = least(most, 20) AND free > 0 LOOP
        accounts := '{}';
        open := '{}';
        WHILE cardinality(accounts) < 20 LOOP
            SELECT x.account AS a, x.merchant AS m, x.not_before <= statement_timestamp() AS is_due INTO r
              FROM paystream.effect x
             WHERE x.state = 0 AND x.account > at_account ORDER BY x.account, x.not_before LIMIT 1;
            is_round := is_second AND (r.a IS NULL OR r.a > after_account);
            EXIT WHEN is_round;
            is_second := is_second OR r.a IS NULL;
            at_account := coalesce(r.a, '00000000-0000-0000-0000-000000000000');
            CONTINUE WHEN r.a IS NULL;
            has := coalesce(rooms[array_position(room_accounts, r.a)], room);
            IF r.is_due AND has > 0 AND r.m <> ALL (full_merchants) THEN
                accounts := accounts || r.a;
                open := open || has;
            END IF;
        END LOOP;
        -- What one of them leaves, the others get in the next round.
        LOOP
            share := 0;
            FOR o IN 1..cardinality(accounts) LOOP
                CONTINUE WHEN open[o] = 0 OR free = 0;
                share := least(open[o], (free + cardinality(accounts) - o) / (cardinality(accounts) - o + 1));
                got := 0;
                FOR r IN
                    SELECT x.merchant AS m, x.id AS i FROM paystream.effect x
                     WHERE x.state = 0 AND x.account = accounts[o]
                       AND x.not_before <= statement_timestamp() AND x.send_before > statement_timestamp()
                     ORDER BY x.not_before LIMIT share FOR UPDATE SKIP LOCKED
                LOOP
                    got := got + 1;
                    RETURN QUERY
                    UPDATE paystream.effect x
                       SET state = 1, fence = nextval('paystream.fence_seq'), owner = claimer,
                           lease_until = statement_timestamp() + lease_us * interval '1 microsecond'
                     WHERE x.merchant = r.m AND x.id = r.i
                    RETURNING x.merchant, x.stream_kind, x.stream, x.id, x.fence, x.account, x.ordinal, x.template,
                              x.not_before, x.send_before, x.deadline_us, x.lease_until;
                END LOOP;
                open[o] := CASE WHEN got < share THEN 0 ELSE open[o] - got END;
                free := free - got;
            END LOOP;
            EXIT WHEN share = 0;
        END LOOP;
    END LOOP;
END
$$;
