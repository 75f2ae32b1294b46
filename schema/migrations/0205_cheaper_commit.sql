-- `commit` keeps the keys of commands itself.
DROP FUNCTION IF EXISTS paystream.keep_commands;
