-- Reconciliation and months are read by windows of days, as other reports are: what a window names is found by a key.
CREATE INDEX settlement_match_ended ON paystream.settlement_match (merchant, stream, version, number) WHERE ended_act IS NOT NULL;
CREATE INDEX settlement_match_ended_line ON paystream.settlement_match (merchant, file, line) WHERE ended_act IS NOT NULL;
CREATE INDEX settlement_exception_at ON paystream.settlement_exception (merchant, at);

-- They are made again with other arguments.
DROP FUNCTION IF EXISTS paystream.report_reconciliation(int, text, date, date, text, bigint, boolean);
DROP FUNCTION IF EXISTS paystream.report_balance(int, text, date, date, text, bigint, boolean);
DROP FUNCTION IF EXISTS paystream.report_periods(int, text, date, date, text, bigint, boolean);
