-- How long a bill may stand on an app's word alone before a person looks for it at the provider: what was paid on a day is in
-- the provider's statement of that day.
CREATE OR REPLACE FUNCTION paystream.claim_patience() RETURNS interval LANGUAGE sql IMMUTABLE AS
    $$ SELECT interval '1 day' $$;
