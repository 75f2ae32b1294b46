-- Moves a read model's checkpoint. Answers false where another follower has moved it since, and where another version of the read
-- model is shown: nothing may be written then.
CREATE OR REPLACE FUNCTION paystream.move_checkpoint(p_name text, p_version int, from_pos bigint, to_pos bigint)
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    INSERT INTO paystream.checkpoint (name, version) VALUES (p_name, p_version) ON CONFLICT DO NOTHING;
    UPDATE paystream.checkpoint c SET pos = to_pos
     WHERE c.name = p_name AND c.version = p_version AND c.pos = from_pos;
    RETURN FOUND;
END
$$;
