-- What settlement booked is listed between two positions, and exceptions are listed by pages.
CREATE INDEX settlement_exception_since ON paystream.settlement_exception (merchant, since, at, coalesce(line, 0), id);

-- They go on from what was summed already.
DROP FUNCTION IF EXISTS paystream.report_statement(int, text, date, date, text, bigint, boolean);
DROP FUNCTION IF EXISTS paystream.report_settlement(int, text, date, date, text, bigint, boolean);

-- It tells apart by larger numbers what is of one position.
DROP FUNCTION IF EXISTS paystream.movements_between(
    int, text, date, date, text, bigint, bigint, boolean, text[], text, timestamptz, bigint, int, int);
