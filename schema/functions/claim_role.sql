-- Takes or keeps a role for a node by the server's clock; answers the fence, or NULL while another node holds it.
CREATE OR REPLACE FUNCTION paystream.claim_role(in_role text, claimer text, lease_us bigint) RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    held bigint;
BEGIN
    INSERT INTO paystream.role_lease AS r (role, owner, fence, lease_until)
    VALUES (in_role, claimer, nextval('paystream.fence_seq'),
        statement_timestamp() + lease_us * interval '1 microsecond')
    ON CONFLICT (role) DO UPDATE
        SET owner = EXCLUDED.owner, lease_until = EXCLUDED.lease_until,
            fence = CASE WHEN r.owner = EXCLUDED.owner AND r.lease_until > statement_timestamp()
                         THEN r.fence ELSE EXCLUDED.fence END
        WHERE r.owner = EXCLUDED.owner OR r.lease_until <= statement_timestamp()
    RETURNING fence INTO held;
    RETURN held;
END
$$;
