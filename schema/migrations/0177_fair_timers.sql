-- Where more timers are due than a page holds, the list goes round the merchants: it walks from one to the next by this index,
-- however much one of them has due. What its own clock rules is not in the moment and comes last.
CREATE INDEX due_round ON paystream.due ((merchant::bigint), (least(machine, CASE WHEN NOT clocked THEN business END)));
-- It takes two arguments more than before.
DROP FUNCTION IF EXISTS paystream.due_timers();
