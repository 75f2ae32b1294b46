-- Nodes share their work by claims of rows. Nobody took a role for all of them.
DROP FUNCTION IF EXISTS paystream.claim_role(text, text, bigint);
DROP TABLE IF EXISTS paystream.role_lease;
