-- A merchant's number is for ever: it is in every seal and in every id that is made from a key. So no two databases may give
-- out the same one. Each has a million numbers of its own; `settle_cell` chooses which.
ALTER TABLE paystream.merchant ALTER COLUMN id SET MAXVALUE 1000000;
