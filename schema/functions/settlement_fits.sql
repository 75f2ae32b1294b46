-- Whether a verdict can resolve an exception: what has no line can't be disregarded, what has no side can't be adjusted, and only a line
-- without a movement can be linked with a movement without a line.
CREATE OR REPLACE FUNCTION paystream.settlement_fits(item paystream.settlement_exception, verdict json) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
    is_free boolean;
BEGIN
    CASE verdict ->> 'is'
    WHEN 'adjust' THEN
        RETURN item.class NOT IN ('unknownKind', 'timing');
    WHEN 'disregard' THEN
        RETURN item.file IS NOT NULL AND item.class IN ('missingHere', 'duplicate', 'currency', 'unknownKind');
    WHEN 'link' THEN
        IF item.class NOT IN ('missingHere', 'missingThere', 'timing', 'duplicate') THEN
            RETURN false;
        END IF;
        SELECT count(*) = 1 INTO is_free FROM paystream.settlement_linked(item, verdict);
        RETURN is_free;
    ELSE
        RETURN false;
    END CASE;
END
$$;
