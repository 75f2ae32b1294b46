-- Open items are read by windows of days, as other reports are: the report is made again with other arguments.
DROP FUNCTION IF EXISTS paystream.report_open_items(int, text, date, date, text, bigint, boolean);
