-- A claim of effects passes over the merchants that have as many places as are free; it takes one argument more than before.
DROP FUNCTION IF EXISTS paystream.claim_effects(text, bigint, int, int, uuid[], int[], uuid);
