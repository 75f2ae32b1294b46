-- Takes or keeps the leases on endpoints of webhooks, `most` of them at most, by the server's clock; answers all that the claimer holds.
--
-- An endpoint is sent what lies behind its own beginning in the log.
CREATE OR REPLACE FUNCTION paystream.webhook_claim(claimer text, lease_us bigint, most int)
RETURNS TABLE (merchant int, endpoint uuid)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    until CONSTANT timestamptz := statement_timestamp() + lease_us * interval '1 microsecond';
    held int;
BEGIN
    SET LOCAL synchronous_commit = off;
    INSERT INTO paystream.webhook_cursor (merchant, endpoint, position, number)
    SELECT s.merchant, s.id, b.pos, 0
      FROM paystream.stream s
           CROSS JOIN LATERAL (
               SELECT e.pos FROM paystream.event e
                WHERE e.merchant = s.merchant AND e.stream = s.id AND e.ver = 1 AND e.pos > s.floor_pos) b
     WHERE s.kind = 10 AND NOT EXISTS (
               SELECT FROM paystream.webhook_cursor c WHERE c.merchant = s.merchant AND c.endpoint = s.id)
    ON CONFLICT DO NOTHING;
    -- Its own while half of their time is left are not written again.
    UPDATE paystream.webhook_cursor c SET lease_until = until
     WHERE c.owner = claimer AND c.lease_until > statement_timestamp()
       AND c.lease_until < statement_timestamp() + lease_us / 2 * interval '1 microsecond';
    SELECT count(*) INTO held FROM paystream.webhook_cursor c
     WHERE c.owner = claimer AND c.lease_until > statement_timestamp();
    UPDATE paystream.webhook_cursor c SET owner = claimer, lease_until = until
      FROM (SELECT x.merchant AS m, x.endpoint AS e FROM paystream.webhook_cursor x
             WHERE x.lease_until <= statement_timestamp()
             ORDER BY x.lease_until LIMIT greatest(0, most - held) FOR UPDATE SKIP LOCKED) f
     WHERE c.merchant = f.m AND c.endpoint = f.e;
    RETURN QUERY
    SELECT c.merchant, c.endpoint FROM paystream.webhook_cursor c
     WHERE c.owner = claimer AND c.lease_until > statement_timestamp();
END
$$;
