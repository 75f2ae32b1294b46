-- How many requests a key may send, and all keys of a merchant together: so many in so many seconds. NULL where nobody set it.

ALTER TABLE paystream.api_key
    ADD COLUMN limit_requests int CHECK (limit_requests > 0),
    ADD COLUMN limit_seconds int CHECK (limit_seconds > 0),
    ADD CHECK ((limit_requests IS NULL) = (limit_seconds IS NULL));

ALTER TABLE paystream.merchant
    ADD COLUMN limit_requests int CHECK (limit_requests > 0),
    ADD COLUMN limit_seconds int CHECK (limit_seconds > 0),
    ADD CHECK ((limit_requests IS NULL) = (limit_seconds IS NULL));
