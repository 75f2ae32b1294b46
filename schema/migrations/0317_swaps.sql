-- A copy of a read model takes the place of what is shown by its tables, and no row is written again.

-- It answers now whether a movement was lost.
DROP FUNCTION IF EXISTS paystream.settlement_carry(text);
