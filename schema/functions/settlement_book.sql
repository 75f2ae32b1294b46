-- Books what lines of a file prove alone: payouts, reserves, fees billed apart, and the fees of matched lines whose payment is known to
-- have none: by the tariff where the mapping has one. A fee that our books have already is not booked again; where evidence of one comes
-- later than a file's, the file's is taken back.
CREATE OR REPLACE FUNCTION paystream.settlement_book(of_merchant int, of_account uuid, of_file uuid, of_act uuid) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    INSERT INTO paystream.settlement_entry (merchant, account, kind, amount, currency, effective_at, act, file, line)
    SELECT of_merchant, of_account, b.kind, b.amount, l.currency, l.at, of_act, l.file, l.number
      FROM paystream.settlement_line l CROSS JOIN LATERAL (VALUES (l.kind, l.amount), ('fee', l.fee)) AS b (kind, amount)
     WHERE l.merchant = of_merchant AND l.file = of_file AND l.kind IN ('payout', 'reserveHeld', 'reserveReturned', 'fee')
       AND b.amount <> 0
       AND NOT EXISTS (SELECT FROM paystream.settlement_withdrawal w
                        WHERE w.merchant = l.merchant AND w.file = l.file AND w.line = l.number)
       AND NOT EXISTS (SELECT FROM paystream.settlement_exception x
                        WHERE x.merchant = l.merchant AND x.file = l.file AND x.line = l.number AND x.ended_act IS NULL);
    INSERT INTO paystream.settlement_entry (merchant, account, kind, amount, currency, effective_at, act, file, line, stream,
        stream_kind)
    SELECT of_merchant, of_account, 'fee', coalesce(l.expected_fee, l.fee), l.currency, l.at, of_act, l.file, l.number, m.stream,
           m.stream_kind
      FROM paystream.settlement_match x
      JOIN paystream.settlement_line l ON l.merchant = x.merchant AND l.file = x.file AND l.number = x.line
      JOIN paystream.movement m
        ON m.merchant = x.merchant AND m.stream = x.stream AND m.version = x.version AND m.number = x.number
     WHERE x.merchant = of_merchant AND x.act = of_act AND x.ended_act IS NULL AND coalesce(l.expected_fee, l.fee) <> 0
       -- A match that follows the money brings no second fee.
       AND NOT EXISTS (SELECT FROM paystream.settlement_entry e
                        WHERE e.merchant = l.merchant AND e.file = l.file AND e.line = l.number AND e.kind = 'fee'
                          AND e.exception IS NULL)
       AND NOT EXISTS (SELECT FROM paystream.movement f
                        WHERE f.merchant = of_merchant AND f.stream = m.stream AND f.account = of_account AND f.kind = 'fee');
    INSERT INTO paystream.settlement_entry (merchant, account, kind, amount, currency, effective_at, act, file, line, stream,
        stream_kind)
    SELECT of_merchant, of_account, 'fee', -e.amount, e.currency, e.effective_at, of_act, e.file, e.line, e.stream,
           e.stream_kind
      FROM (SELECT s.file, s.line, s.currency, s.stream, s.stream_kind, sum(s.amount) AS amount, min(s.effective_at) AS effective_at
              FROM (SELECT DISTINCT f.stream FROM paystream.movement f
                     WHERE f.merchant = of_merchant AND f.kind = 'fee' AND f.account = of_account
                       AND f.known_at >= statement_timestamp() - interval '35 days') f
              JOIN paystream.settlement_entry s ON s.merchant = of_merchant AND s.stream = f.stream
             WHERE s.account = of_account AND s.kind = 'fee' AND s.exception IS NULL AND s.act <> of_act
             GROUP BY s.file, s.line, s.currency, s.stream, s.stream_kind HAVING sum(s.amount) <> 0) e;
END
$$;
