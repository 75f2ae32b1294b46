-- Movements know the card's scheme. The next version of the read model writes it: `projections rebuild --swap movement`.

-- They are made again with other arguments, or another answer.
DROP FUNCTION IF EXISTS paystream.movement_apply;
DROP FUNCTION IF EXISTS paystream.moved(int, text, date, date, text, bigint, boolean);
DROP FUNCTION IF EXISTS paystream.movements_between(
    int, text, date, date, text, bigint, bigint, boolean, text[], text, timestamptz, bigint, bigint, int);

-- As in visa; NULL where no answer named it, or no card paid.
ALTER TABLE paystream.movement ADD COLUMN scheme text;

CREATE OR REPLACE VIEW paystream.booked WITH (security_invoker = true) AS
SELECT v.merchant, v.stream, v.stream_kind, v.pos, v.number, v.kind, v.amount, v.currency, v.items, v.effective_at, v.known_at, v.part,
       v.operation_reference, v.provider_reference, v.reference, v.customer, v.account, v.account_name, v.account_mode, v.provider,
       v.method, v.country, v.payee, v.schedule, v.batch, v.evidence, v.commanded, v.cause, v.scheme
  FROM paystream.movement v
UNION ALL
SELECT e.merchant, e.stream, e.stream_kind, a.pos, 0::smallint, e.kind, e.amount, e.currency, 1, e.effective_at, a.at, NULL,
       NULL, l.provider_reference, l.reference, NULL, e.account, c.name, c.mode, c.provider,
       NULL, NULL, NULL, NULL, NULL, CASE WHEN e.exception IS NULL THEN 'settlement' ELSE 'operator' END, false,
       coalesce(e.file, e.act), NULL
  FROM paystream.settlement_entry e
  JOIN paystream.settlement_act a ON a.merchant = e.merchant AND a.id = e.act
  JOIN paystream.settlement_account c ON c.merchant = e.merchant AND c.account = e.account
  LEFT JOIN paystream.settlement_line l ON l.merchant = e.merchant AND l.file = e.file AND l.number = e.line;

CREATE OR REPLACE VIEW paystream.movements WITH (security_invoker = true) AS
SELECT m.name AS merchant,
       CASE v.stream_kind WHEN 7 THEN 'transfer' WHEN 1 THEN 'payment' WHEN 6 THEN 'bill' ELSE 'settlement' END AS kind,
       CASE v.stream_kind WHEN 7 THEN 'trf_' WHEN 1 THEN 'pay_' WHEN 6 THEN 'bat_' ELSE 'stl_' END
           || replace(coalesce(v.batch, v.stream, v.cause)::text, '-', '') AS id,
       v.kind AS movement, v.known_at AS at, v.effective_at, v.amount, v.currency, v.items, v.provider, v.account,
       v.account_name, v.account_mode AS mode, v.reference, v.customer, v.part, v.operation_reference, v.provider_reference, v.method,
       v.country, v.payee, 'sch_' || replace(v.schedule::text, '-', '') AS schedule, v.evidence, v.commanded, v.cause,
       v.pos AS position, v.number, v.scheme
  FROM paystream.booked v JOIN paystream.merchant m ON m.id = v.merchant;

CREATE OR REPLACE VIEW reporting.movements WITH (security_barrier = true) AS
SELECT m.name AS merchant, v.pos AS position, v.number, v.kind AS movement, v.known_at AS at, v.effective_at, v.amount,
       v.currency, v.items,
       CASE v.stream_kind WHEN 7 THEN 'transfer' WHEN 1 THEN 'payment' WHEN 6 THEN 'bill' ELSE 'settlement' END AS kind,
       CASE v.stream_kind WHEN 7 THEN 'trf_' WHEN 1 THEN 'pay_' WHEN 6 THEN 'bat_' ELSE 'stl_' END || replace(v.id::text, '-', '') AS id,
       v.provider, v.account_name AS account, v.account_mode AS mode, v.method, v.country, v.reference, v.customer, v.payee,
       'sch_' || replace(v.schedule::text, '-', '') AS schedule, v.part, v.operation_reference, v.provider_reference,
       v.evidence, v.commanded, v.scheme
  FROM (SELECT b.merchant, b.pos, b.number, b.kind, b.known_at, b.effective_at, b.amount, b.currency, b.items, b.stream_kind,
               coalesce(b.batch, b.stream) AS id, b.provider, b.account_name, b.account_mode, b.method, b.country, b.reference,
               b.customer, b.payee, b.schedule, b.part, b.operation_reference, b.provider_reference, b.evidence, b.commanded, b.scheme
          FROM paystream.movement b
        UNION ALL
        SELECT e.merchant, a.pos, 0::smallint, e.kind, a.at, e.effective_at, e.amount, e.currency, 1, e.stream_kind,
               coalesce(e.stream, e.file, e.act), c.provider, c.name, c.mode, NULL AS method, NULL AS country, l.reference,
               NULL AS customer, NULL AS payee, NULL AS schedule, NULL AS part, NULL AS operation_reference, l.provider_reference,
               CASE WHEN e.exception IS NULL THEN 'settlement' ELSE 'operator' END, false, NULL AS scheme
          FROM paystream.settlement_entry e
          JOIN paystream.settlement_act a ON a.merchant = e.merchant AND a.id = e.act
          JOIN paystream.settlement_account c ON c.merchant = e.merchant AND c.account = e.account
          LEFT JOIN paystream.settlement_line l ON l.merchant = e.merchant AND l.file = e.file AND l.number = e.line) v
  JOIN paystream.merchant m ON m.id = v.merchant
 WHERE v.merchant = ANY ((SELECT paystream.my_merchants())::int[]);
COMMENT ON COLUMN reporting.movements.scheme IS
    'The scheme of the card, as in visa, where the provider named it before the money moved; else empty.';
