-- Bodies repeat their members' names: packed quickly they lie beside their rows. A server without that method packs them as it does others.
DO $$
BEGIN
    ALTER TABLE paystream.public_event ALTER COLUMN body SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported OR invalid_parameter_value THEN
    NULL;
END
$$;
