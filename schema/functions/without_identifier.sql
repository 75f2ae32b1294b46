-- A document whose texts and numbers at a path are gone; a step `*` is any member of an object or any item of a list. What is
-- deeper than the path stays: an identifier holds nothing.
CREATE OR REPLACE FUNCTION paystream.without_identifier(document jsonb, path text[]) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    step text := path[1];
    rest text[] := path[2:];
BEGIN
    IF step IS NULL THEN
        RETURN CASE WHEN jsonb_typeof(document) IN ('string', 'number') THEN 'null'::jsonb ELSE document END;
    ELSIF jsonb_typeof(document) = 'object' AND step = '*' THEN
        RETURN (SELECT coalesce(jsonb_object_agg(m.key, paystream.without_identifier(m.value, rest)), '{}')
                  FROM jsonb_each(document) m);
    ELSIF jsonb_typeof(document) = 'object' AND document ? step THEN
        RETURN jsonb_set(document, ARRAY[step], paystream.without_identifier(document -> step, rest));
    ELSIF jsonb_typeof(document) = 'array' AND step = '*' THEN
        RETURN (SELECT coalesce(jsonb_agg(paystream.without_identifier(i.value, rest) ORDER BY i.place), '[]')
                  FROM jsonb_array_elements(document) WITH ORDINALITY i (value, place));
    END IF;
    RETURN document;
END
$$;
