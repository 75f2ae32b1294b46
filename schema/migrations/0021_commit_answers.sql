-- The function answers two columns more; its answer's type can only change when it is made anew.
DROP FUNCTION IF EXISTS paystream.commit;
-- Claiming mail also gives mail back.
DROP FUNCTION IF EXISTS paystream.claim_mail;
