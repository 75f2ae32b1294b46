-- Chooses the cell of a database that has no merchant yet; the owner calls it. PS030: there are merchants of another cell, or
-- there is no such cell.
CREATE OR REPLACE FUNCTION paystream.settle_cell(in_cell int) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    first bigint := in_cell * 1000000::bigint + 1;
BEGIN
    IF in_cell NOT BETWEEN 0 AND 2146 THEN
        RAISE EXCEPTION USING ERRCODE = 'PS030', MESSAGE = 'a cell is a number from 0 to 2146';
    END IF;
    IF in_cell = paystream.cell() THEN RETURN; END IF;
    LOCK TABLE paystream.merchant IN ACCESS EXCLUSIVE MODE;
    IF EXISTS (SELECT FROM paystream.merchant) THEN
        RAISE EXCEPTION USING ERRCODE = 'PS030',
            MESSAGE = format('this database has merchants of cell %s, whose numbers can''t be changed', paystream.cell());
    END IF;
    EXECUTE format('ALTER TABLE paystream.merchant ALTER COLUMN id SET MINVALUE %s SET MAXVALUE %s SET START %s RESTART %s',
                   first, first + 999999, first, first);
END
$$;
