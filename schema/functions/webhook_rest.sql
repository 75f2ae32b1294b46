-- Gives up endpoints that are disabled, until their streams go on behind the given versions. `p_trouble` says why, where nobody of the
-- merchant asked for it. Whoever enables one gives it its whole time anew.
CREATE OR REPLACE FUNCTION paystream.webhook_rest(
    claimer text, p_merchant int[], p_endpoint uuid[], p_version int[], p_trouble text[], p_since timestamptz[])
RETURNS void LANGUAGE sql VOLATILE AS $$
    UPDATE paystream.webhook_cursor c
       SET owner = NULL, lease_until = 'infinity', failing_since = NULL, rests_at = u.v, trouble = u.t,
           trouble_since = CASE WHEN u.t IS NOT NULL THEN u.s END
      FROM unnest(p_merchant, p_endpoint, p_version, p_trouble, p_since) AS u (m, e, v, t, s)
     WHERE c.merchant = u.m AND c.endpoint = u.e AND c.owner = claimer
$$;
