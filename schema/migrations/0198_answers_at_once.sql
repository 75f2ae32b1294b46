-- A decision says which message its input answers: both functions take one argument more than before.
DROP FUNCTION IF EXISTS paystream.commit;
DROP FUNCTION IF EXISTS paystream.change_effects;
