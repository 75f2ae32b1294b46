-- How many events wait for one endpoint at most; what is behind them waits in the feed.
CREATE OR REPLACE FUNCTION paystream.webhook_most_waiting() RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT 2000 $$;
