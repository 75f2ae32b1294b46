-- What waits in each place, counted up to a limit so that a flood costs no more, and for how many microseconds the oldest of it
-- has waited.
CREATE OR REPLACE FUNCTION paystream.queue_figures(most int)
RETURNS TABLE (queue text, waiting bigint, oldest bigint) LANGUAGE sql STABLE AS $$
    -- Commands that backends enqueued by SQL.
    SELECT 'inbox', count(*), paystream.elapsed(min(x.at)) FROM (
        SELECT at FROM paystream.inbox LIMIT most) x
    UNION ALL
    -- Streams with inputs that could be decided now.
    SELECT 'mail', count(*), paystream.elapsed(min(x.at)) FROM (
        SELECT due AS at FROM paystream.mail WHERE due <= statement_timestamp() LIMIT most) x
    UNION ALL
    -- Messages that may be sent now, and those that were marked and have no answer.
    SELECT 'ready', count(*), paystream.elapsed(min(x.at)) FROM (
        SELECT not_before AS at FROM paystream.effect
         WHERE state IN (0, 1) AND not_before <= statement_timestamp() LIMIT most) x
    UNION ALL
    SELECT 'sending', count(*), paystream.elapsed(min(x.at)) FROM (
        SELECT not_before AS at FROM paystream.effect WHERE state = 2 LIMIT most) x
    UNION ALL
    -- Timers that are due and were not fired.
    SELECT 'timers', count(*), paystream.elapsed(min(x.at)) FROM (
        SELECT machine AS at FROM paystream.due WHERE machine <= statement_timestamp()
        UNION ALL SELECT business FROM paystream.due WHERE business <= statement_timestamp() AND NOT clocked LIMIT most) x
    UNION ALL
    -- Inputs that could not be decided, and notifications that were refused.
    SELECT 'quarantine', count(*), paystream.elapsed(min(x.at)) FROM (
        SELECT at FROM paystream.input_quarantine LIMIT most) x
    UNION ALL
    SELECT 'refused', count(*), paystream.elapsed(min(x.at)) FROM (
        SELECT at FROM paystream.quarantine WHERE expires_at > statement_timestamp() LIMIT most) x
    UNION ALL
    -- Events that wait for receivers of webhooks, apart from endpoints that are disabled.
    SELECT 'webhooks', count(*), paystream.elapsed(min(x.at)) FROM (
        SELECT d.created_at AS at FROM paystream.webhook_delivery d
         WHERE d.state = 1 AND NOT EXISTS (
                   SELECT FROM paystream.webhook_cursor c
                    WHERE c.merchant = d.merchant AND c.endpoint = d.endpoint AND c.rests_at IS NOT NULL)
         LIMIT most) x
$$;
