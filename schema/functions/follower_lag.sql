-- How many events of some kinds a read model has not read, counted up to a limit, and for how many microseconds the oldest
-- of them has waited.
CREATE OR REPLACE FUNCTION paystream.follower_lag(
    view text, view_version int, kinds smallint[], most int, OUT events bigint, OUT oldest bigint)
LANGUAGE sql STABLE AS $$
    SELECT count(*), paystream.elapsed(min(x.at)) FROM (
        SELECT e.at FROM paystream.event e
         WHERE e.stream_kind = ANY (kinds) AND e.pos > coalesce(
               (SELECT c.pos FROM paystream.checkpoint c WHERE c.name = view AND c.version = view_version), 0)
         ORDER BY e.pos LIMIT most) x
$$;
