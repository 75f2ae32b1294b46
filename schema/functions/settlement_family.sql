-- All files that stand in one place: a file, what it corrects, and what corrects any of these. The newest of them counts.
CREATE OR REPLACE FUNCTION paystream.settlement_family(of_merchant int, of_file uuid) RETURNS SETOF uuid
LANGUAGE sql STABLE AS $$
    WITH RECURSIVE earlier AS (
        SELECT f.id, f.corrects FROM paystream.settlement_file f WHERE f.merchant = of_merchant AND f.id = of_file
        UNION
        SELECT f.id, f.corrects FROM paystream.settlement_file f JOIN earlier e ON f.id = e.corrects WHERE f.merchant = of_merchant
    ), family AS (
        SELECT e.id FROM earlier e WHERE e.corrects IS NULL
        UNION
        SELECT f.id FROM paystream.settlement_file f JOIN family c ON f.corrects = c.id WHERE f.merchant = of_merchant
    )
    SELECT c.id FROM family c
$$;
