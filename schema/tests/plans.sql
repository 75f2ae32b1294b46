-- Plans: what is asked every second walks an index, however many effects wait.

-- The plan of the statement that a function returns, made under the function's own settings.
CREATE FUNCTION pg_temp.plan(name text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
    source text;
    settings text[];
    setting text;
    found json;
BEGIN
    SELECT (regexp_match(p.prosrc, 'RETURN QUERY(.*?);'))[1], p.proconfig INTO STRICT source, settings
      FROM pg_proc p WHERE p.pronamespace = 'paystream'::regnamespace AND p.proname = plan.name;
    FOREACH setting IN ARRAY settings LOOP
        PERFORM set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), true);
    END LOOP;
    EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || source INTO found;
    RETURN found->0->'Plan';
END
$$;

-- 30,000 effects of every state whose windows are open, and 300 whose windows closed.
INSERT INTO paystream.effect (not_before, send_before, lease_until, fence, deadline_us, merchant, ordinal, stream_kind,
    state, id, stream, account, template)
SELECT clock_timestamp() - g * interval '1 second',
       clock_timestamp() + CASE WHEN g > 300 THEN interval '1 hour' ELSE - g * interval '1 second' END,
       clock_timestamp() - g * interval '1 second', g, 1000, 1, 1, 1, g % 4, gen_random_uuid(), gen_random_uuid(),
       gen_random_uuid(), '\x00'
  FROM generate_series(1, 30300) g;

-- Before and after the planner has learned how many there are.
DO $$
DECLARE
    plan json;
    analyzed boolean;
BEGIN
    FOREACH analyzed IN ARRAY ARRAY[false, true] LOOP
        IF analyzed THEN
            ANALYZE paystream.effect;
        END IF;
        plan := pg_temp.plan('expired_effects');
        ASSERT plan->>'Node Type' = 'Limit', plan::text;
        plan := plan->'Plans'->0;
        ASSERT plan->>'Node Type' = 'Index Scan' AND plan->>'Index Name' = 'effect_expiry', plan::text;
        ASSERT plan->>'Index Cond' ~ 'send_before <=', plan::text;
        ASSERT (plan->>'Actual Rows')::float = 150, plan::text;
        -- It does not even look at what is not expired.
        ASSERT coalesce((plan->>'Rows Removed by Filter')::float, 0) = 0, plan::text;
    END LOOP;
END
$$;

-- A search by a masked card reads the newest cards of its digits, and no other card of the merchant.
INSERT INTO paystream.instrument_view (merchant, id, version, pos, status, customer, account, created_at, document)
SELECT 1, gen_random_uuid(), 1, g, 'active', 'customer-' || g, gen_random_uuid(), now() - g * interval '1 minute',
       json_build_object('masked', '431422******' || lpad((g % 10000)::text, 4, '0'))
  FROM generate_series(1, 30000) g;
DO $$
DECLARE
    plan json;
    analyzed boolean;
BEGIN
    FOREACH analyzed IN ARRAY ARRAY[false, true] LOOP
        IF analyzed THEN
            ANALYZE paystream.instrument_view;
        END IF;
        EXECUTE $q$
            EXPLAIN (ANALYZE, FORMAT json, TIMING off)
            SELECT i.id FROM paystream.instrument_view i
             WHERE i.merchant = 1 AND i.document ->> 'masked' IS NOT NULL
               AND left(regexp_replace(i.document ->> 'masked', '[^0-9]', '', 'g'), 6)
                   || right(regexp_replace(i.document ->> 'masked', '[^0-9]', '', 'g'), 4) = '4314220056'
             ORDER BY i.created_at DESC LIMIT 20
        $q$ INTO plan;
        plan := plan->0->'Plan'->'Plans'->0;
        ASSERT plan->>'Node Type' = 'Index Scan' AND plan->>'Index Name' = 'instrument_view_card', plan::text;
        ASSERT (plan->>'Actual Rows')::float = 3 AND coalesce((plan->>'Rows Removed by Filter')::float, 0) = 0, plan::text;
    END LOOP;
END
$$;
