-- What a settlement file got wrong is set right by its correction, whatever it was.

-- Only whoever keeps a mapping as the account's own says how its files are read; an import names the one that it was read by.
ALTER TABLE paystream.settlement_mapping ADD COLUMN is_own boolean NOT NULL DEFAULT true;

-- Lines that come again are looked for once for all that are alike.
DROP INDEX paystream.settlement_line_again;
CREATE INDEX settlement_line_again ON paystream.settlement_line
    (merchant, coalesce(provider_reference, reference), amount, coalesce(reference, ''), kind, currency);

-- A movement that lost its line is looked at.
CREATE INDEX settlement_match_ended_act ON paystream.settlement_match (merchant, ended_act) WHERE ended_act IS NOT NULL;

-- A report tells on which day a line counted no longer.
CREATE INDEX settlement_withdrawal_act ON paystream.settlement_withdrawal (merchant, act);

-- What an act booked is counted at the act's own time.
DROP TRIGGER counted_insert ON paystream.settlement_entry;
CREATE TRIGGER counted_insert AFTER INSERT ON paystream.settlement_act REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION paystream.count_money();

-- It is made again with other arguments, and another answer.
DROP FUNCTION IF EXISTS paystream.settlement_begin(int, uuid, text, text, text, bytea, json, int, text, uuid);
DROP FUNCTION IF EXISTS paystream.settlement_finish(
    int, uuid, uuid, bytea, int, int, json, text, date, date, uuid, int, text, text, int);
DROP FUNCTION IF EXISTS paystream.settlement_candidates(int, uuid, uuid, text);
-- What lines that book themselves are like is told by one function.
DROP FUNCTION IF EXISTS paystream.settlement_alone(paystream.settlement_line, uuid);
