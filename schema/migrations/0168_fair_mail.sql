-- Mailboxes are claimed round the merchants: the claim walks from one to the next by its index, however much one of them has
-- waiting. The index is over an expression, so that nothing that knows a mailbox by its key is drawn to it.
DROP INDEX paystream.mail_due;
CREATE INDEX mail_round ON paystream.mail ((merchant::bigint), due);
-- It takes one argument more than before.
DROP FUNCTION IF EXISTS paystream.claim_mail(text, bigint, int[], uuid[], bigint[]);
