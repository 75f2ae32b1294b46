-- Takes an exception's difference into the books: the provider's account follows the file, and what has no explanation stands in suspense.
-- A difference of fees is a fee.
CREATE OR REPLACE FUNCTION paystream.settlement_adjust(item paystream.settlement_exception, of_act uuid) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    of_stream_kind smallint := (SELECT m.stream_kind FROM paystream.movement m
        WHERE m.merchant = item.merchant AND m.stream = item.stream AND m.version = item.version AND m.number = item.number);
    of_line paystream.settlement_line;
    -- What a file proves alone came twice: it did happen twice.
    is_alone boolean;
BEGIN
    SELECT * INTO of_line FROM paystream.settlement_line l
     WHERE l.merchant = item.merchant AND l.file = item.file AND l.number = item.line;
    is_alone := coalesce(of_line.kind IN ('payout', 'reserveHeld', 'reserveReturned', 'fee'), false);
    INSERT INTO paystream.settlement_entry (merchant, account, kind, amount, currency, effective_at, act, file, line, exception, stream,
        stream_kind)
    SELECT item.merchant, item.account, e.kind, e.amount, item.currency, item.at, of_act, item.file, item.line, item.id,
           CASE WHEN of_stream_kind IS NOT NULL THEN item.stream END, of_stream_kind
      FROM (SELECT CASE WHEN item.class = 'fee' THEN 'fee' WHEN is_alone THEN of_line.kind ELSE 'adjustment' END,
                   CASE WHEN item.class = 'fee' THEN item.amount WHEN is_alone THEN of_line.amount ELSE -item.amount END
            UNION ALL
            -- What the provider keeps of a line that found no movement, or has one no longer: then its fee may be booked.
            SELECT 'fee', of_line.fee - coalesce((
                       SELECT sum(b.amount) FROM paystream.settlement_entry b
                        WHERE b.merchant = item.merchant AND b.file = item.file AND b.line = item.line AND b.kind = 'fee'
                          AND b.exception IS NULL), 0)
             WHERE item.class IN ('missingHere', 'duplicate', 'currency')) e (kind, amount)
     WHERE e.amount <> 0;
    UPDATE paystream.settlement_exception x SET ended_act = of_act, outcome = 'adjusted'
     WHERE x.merchant = item.merchant AND x.id = item.id;
END
$$;
