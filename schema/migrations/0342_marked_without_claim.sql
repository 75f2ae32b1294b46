-- A commit answers the fences of the messages that it created: both functions answer more than before.
DROP FUNCTION IF EXISTS paystream.commit;
DROP FUNCTION IF EXISTS paystream.change_effects;
