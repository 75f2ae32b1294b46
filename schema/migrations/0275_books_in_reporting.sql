-- The views for analysts show the whole ledger: what settlement files and two persons book stands beside the movements, as it does in
-- reports. `paystream.booked` is read with the reader's own rights, which analysts lack.
CREATE OR REPLACE VIEW reporting.movements WITH (security_barrier = true) AS
SELECT m.name AS merchant, v.pos AS position, v.number, v.kind AS movement, v.known_at AS at, v.effective_at, v.amount,
       v.currency, v.items,
       CASE v.stream_kind WHEN 7 THEN 'transfer' WHEN 1 THEN 'payment' WHEN 6 THEN 'bill' ELSE 'settlement' END AS kind,
       CASE v.stream_kind WHEN 7 THEN 'trf_' WHEN 1 THEN 'pay_' WHEN 6 THEN 'bat_' ELSE 'stl_' END || replace(v.id::text, '-', '') AS id,
       v.provider, v.account_name AS account, v.account_mode AS mode, v.method, v.country, v.reference, v.customer, v.payee,
       'sch_' || replace(v.schedule::text, '-', '') AS schedule, v.part, v.operation_reference, v.provider_reference,
       v.evidence, v.commanded
  FROM (SELECT b.merchant, b.pos, b.number, b.kind, b.known_at, b.effective_at, b.amount, b.currency, b.items, b.stream_kind,
               coalesce(b.batch, b.stream) AS id, b.provider, b.account_name, b.account_mode, b.method, b.country, b.reference,
               b.customer, b.payee, b.schedule, b.part, b.operation_reference, b.provider_reference, b.evidence, b.commanded
          FROM paystream.movement b
        UNION ALL
        SELECT e.merchant, a.pos, 0::smallint, e.kind, a.at, e.effective_at, e.amount, e.currency, 1, e.stream_kind,
               coalesce(e.stream, e.file, e.act), c.provider, c.name, c.mode, NULL, NULL, l.reference,
               NULL, NULL, NULL, NULL, NULL, l.provider_reference,
               CASE WHEN e.exception IS NULL THEN 'settlement' ELSE 'operator' END, false
          FROM paystream.settlement_entry e
          JOIN paystream.settlement_act a ON a.merchant = e.merchant AND a.id = e.act
          JOIN paystream.settlement_account c ON c.merchant = e.merchant AND c.account = e.account
          LEFT JOIN paystream.settlement_line l ON l.merchant = e.merchant AND l.file = e.file AND l.number = e.line) v
  JOIN paystream.merchant m ON m.id = v.merchant
 WHERE v.merchant = ANY ((SELECT paystream.my_merchants())::int[]);
COMMENT ON VIEW reporting.movements IS 'Every change of money that evidence proved, a settlement file proved or two persons booked: written once, never changed; what takes something back is below zero.';
COMMENT ON COLUMN reporting.movements.kind IS 'payment, transfer, bill or settlement.';
COMMENT ON COLUMN reporting.movements.id IS 'The payment, transfer, batch of bills or settlement file, as the API writes it.';
COMMENT ON COLUMN reporting.movements.evidence IS 'provider, total, operator, dispute, expiry, claim or settlement: what shows it.';

CREATE OR REPLACE VIEW reporting.postings WITH (security_barrier = true) AS
SELECT v.merchant, v.position, v.number, v.at, v.effective_at, r.ledger_account, v.amount * r.side AS amount, v.currency, v.movement,
       v.id, v.provider, v.account, v.mode
  FROM reporting.movements v
  JOIN paystream.posting_rule r ON r.movement = v.movement;
COMMENT ON COLUMN reporting.postings.id IS 'The payment, transfer, batch of bills or settlement file.';

-- The first and the last day of a report by the provider's time.
CREATE INDEX settlement_entry_effective ON paystream.settlement_entry (merchant, effective_at);
