-- Takes or keeps the leases on endpoints of webhooks, by the server's clock, `most` new ones at most; answers all that the claimer holds,
-- with the versions of their streams.
--
-- The nodes that claimed lately share what there is: a node takes no more than its share, and gives back what it holds above that.
-- What it has on the wire then is due for nobody before its time, and is written down all the same.
--
-- An endpoint is sent what lies behind its own beginning in the log. One that was disabled is nobody's until its stream goes on.
CREATE OR REPLACE FUNCTION paystream.webhook_claim(claimer text, lease_us bigint, most int)
RETURNS TABLE (merchant int, endpoint uuid, version int)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    until CONSTANT timestamptz := statement_timestamp() + lease_us * interval '1 microsecond';
    share int;
    kept int;
BEGIN
    SET LOCAL synchronous_commit = off;
    INSERT INTO paystream.webhook_node AS n (owner, seen_until) VALUES (claimer, until)
    ON CONFLICT (owner) DO UPDATE SET seen_until = EXCLUDED.seen_until;
    DELETE FROM paystream.webhook_node n
     WHERE n.owner IN (SELECT x.owner FROM paystream.webhook_node x
                        WHERE x.seen_until <= statement_timestamp() FOR UPDATE SKIP LOCKED);
    INSERT INTO paystream.webhook_cursor (merchant, endpoint, position, number)
    SELECT s.merchant, s.id, b.pos, 0
      FROM paystream.stream s
           CROSS JOIN LATERAL (
               SELECT e.pos FROM paystream.event e
                WHERE e.merchant = s.merchant AND e.stream = s.id AND e.ver = 1 AND e.pos > s.floor_pos) b
     WHERE s.kind = 10 AND NOT EXISTS (
               SELECT FROM paystream.webhook_cursor c WHERE c.merchant = s.merchant AND c.endpoint = s.id)
    ON CONFLICT DO NOTHING;
    UPDATE paystream.webhook_cursor c SET rests_at = NULL, trouble = NULL, trouble_since = NULL, lease_until = '-infinity'
      FROM (SELECT x.merchant AS m, x.endpoint AS e
              FROM paystream.webhook_cursor x JOIN paystream.stream s ON s.merchant = x.merchant AND s.id = x.endpoint
             WHERE x.rests_at IS NOT NULL AND s.ver > x.rests_at FOR UPDATE OF x SKIP LOCKED) f
     WHERE c.merchant = f.m AND c.endpoint = f.e;
    -- Rounded up, so that no endpoint goes to and fro.
    SELECT ceil(count(*)::numeric / greatest(1, (SELECT count(*) FROM paystream.webhook_node n
                                                  WHERE n.seen_until > statement_timestamp())))::int INTO share
      FROM paystream.webhook_cursor c WHERE c.lease_until < 'infinity';
    UPDATE paystream.webhook_cursor c SET owner = NULL, lease_until = '-infinity'
      FROM (SELECT x.merchant AS m, x.endpoint AS e FROM paystream.webhook_cursor x
             WHERE x.owner = claimer AND x.lease_until > statement_timestamp()
             ORDER BY x.merchant, x.endpoint OFFSET share) f
     WHERE c.merchant = f.m AND c.endpoint = f.e AND c.owner = claimer;
    SELECT count(*) INTO kept FROM paystream.webhook_cursor c
     WHERE c.owner = claimer AND c.lease_until > statement_timestamp();
    -- Its own while half of their time is left are not written again.
    UPDATE paystream.webhook_cursor c SET lease_until = until
     WHERE c.owner = claimer AND c.lease_until > statement_timestamp()
       AND c.lease_until < statement_timestamp() + lease_us / 2 * interval '1 microsecond';
    UPDATE paystream.webhook_cursor c SET owner = claimer, lease_until = until
      FROM (SELECT x.merchant AS m, x.endpoint AS e FROM paystream.webhook_cursor x
             WHERE x.lease_until <= statement_timestamp()
             ORDER BY x.lease_until LIMIT least(most, greatest(0, share - kept)) FOR UPDATE SKIP LOCKED) f
     WHERE c.merchant = f.m AND c.endpoint = f.e;
    RETURN QUERY
    SELECT c.merchant, c.endpoint, s.ver
      FROM paystream.webhook_cursor c JOIN paystream.stream s ON s.merchant = c.merchant AND s.id = c.endpoint
     WHERE c.owner = claimer AND c.lease_until > statement_timestamp();
END
$$;
