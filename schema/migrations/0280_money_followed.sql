-- Matches follow the money, and files go back to what they were.

-- The bytes of an earlier file may come again, to take the place of the one that took theirs.
ALTER TABLE paystream.settlement_file DROP CONSTRAINT settlement_file_merchant_account_digest_mapping_key;
CREATE INDEX settlement_file_digest ON paystream.settlement_file (merchant, account, digest);
CREATE INDEX settlement_file_corrects ON paystream.settlement_file (merchant, corrects) WHERE corrects IS NOT NULL;

-- Thousands of lines may share a name: what tells them apart is in the index.
DROP INDEX paystream.settlement_line_name;
CREATE INDEX settlement_line_again ON paystream.settlement_line
    (merchant, coalesce(provider_reference, reference), amount, coalesce(reference, ''));

-- They are made again with other arguments, or another answer.
DROP FUNCTION IF EXISTS paystream.settlement_begin(int, uuid, text, text, text, bytea, json, int, text);
DROP FUNCTION IF EXISTS paystream.settlement_candidates(int, uuid, uuid, text);
