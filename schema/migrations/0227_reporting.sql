-- For analysts: views with names that stay, in a schema of their own. They run with their owner's rights and show the rows of the merchants that the login
-- speaks for; no function of the reader's is given a row before that is decided. `paystream_report` reads them and nothing else.

-- Its body is among the functions, which a new database has behind its migrations.
DO $$
BEGIN
    IF to_regprocedure('paystream.my_merchants()') IS NULL THEN
        CREATE FUNCTION paystream.my_merchants() RETURNS int[] LANGUAGE plpgsql STABLE
            SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS 'BEGIN RETURN NULL; END';
    END IF;
END
$$;

CREATE SCHEMA reporting;
COMMENT ON SCHEMA reporting IS 'What analysts read: documented views of their merchants'' payments, movements, ledger and lists.';

CREATE VIEW reporting.payments WITH (security_barrier = true) AS
SELECT m.name AS merchant, CASE v.kind WHEN 7 THEN 'trf_' ELSE 'pay_' END || replace(v.id::text, '-', '') AS id,
       CASE v.kind WHEN 7 THEN 'transfer' ELSE 'payment' END AS kind, v.status, v.reference, v.customer, v.amount, v.currency,
       v.captured, v.refunded, v.transferred, v.held, v.in_dispute, v.charged_back, v.provider,
       v.document -> 'account' ->> 'name' AS account, v.account_mode AS mode, v.method,
       'ins_' || replace(v.instrument::text, '-', '') AS instrument, v.needs_operator, v.created_at, v.updated_at,
       v.pos AS position
  FROM paystream.payment_view v JOIN paystream.merchant m ON m.id = v.merchant
 WHERE v.merchant = ANY ((SELECT paystream.my_merchants())::int[]);
COMMENT ON VIEW reporting.payments IS 'Payments and transfers, one row each, as they stand now.';
COMMENT ON COLUMN reporting.payments.merchant IS 'The merchant, by its name.';
COMMENT ON COLUMN reporting.payments.id IS 'The id as the API writes it: pay_… or trf_….';
COMMENT ON COLUMN reporting.payments.kind IS 'payment or transfer.';
COMMENT ON COLUMN reporting.payments.status IS 'The status as the API names it.';
COMMENT ON COLUMN reporting.payments.reference IS 'The merchant''s own number.';
COMMENT ON COLUMN reporting.payments.customer IS 'The payer, as the merchant calls him.';
COMMENT ON COLUMN reporting.payments.amount IS 'What was asked for, in minor units of the currency; empty where the payer chooses.';
COMMENT ON COLUMN reporting.payments.currency IS 'ISO 4217. Sums of different currencies say nothing.';
COMMENT ON COLUMN reporting.payments.captured IS 'Taken from the payer, in minor units of the currency.';
COMMENT ON COLUMN reporting.payments.refunded IS 'Given back, without what the provider took back of it.';
COMMENT ON COLUMN reporting.payments.transferred IS 'Passed on to another card; none of the merchant''s money.';
COMMENT ON COLUMN reporting.payments.held IS 'Still held by the payer''s bank.';
COMMENT ON COLUMN reporting.payments.in_dispute IS 'In a dispute that is open.';
COMMENT ON COLUMN reporting.payments.charged_back IS 'Lost in disputes.';
COMMENT ON COLUMN reporting.payments.provider IS 'The provider, as in ecommpay.';
COMMENT ON COLUMN reporting.payments.account IS 'The provider account, by its name.';
COMMENT ON COLUMN reporting.payments.mode IS 'live, test or live-autocancel.';
COMMENT ON COLUMN reporting.payments.method IS 'How it was asked for, as in hosted.';
COMMENT ON COLUMN reporting.payments.instrument IS 'The saved credential that it charges.';
COMMENT ON COLUMN reporting.payments.needs_operator IS 'Whether it waits for a person.';
COMMENT ON COLUMN reporting.payments.created_at IS 'When it was created.';
COMMENT ON COLUMN reporting.payments.updated_at IS 'When something of it changed last.';
COMMENT ON COLUMN reporting.payments.position IS 'The place in the log that the row stands for.';

CREATE VIEW reporting.movements WITH (security_barrier = true) AS
SELECT m.name AS merchant, v.pos AS position, v.number, v.kind AS movement, v.known_at AS at, v.effective_at, v.amount,
       v.currency, v.items, CASE v.stream_kind WHEN 7 THEN 'transfer' WHEN 1 THEN 'payment' ELSE 'bill' END AS kind,
       CASE v.stream_kind WHEN 7 THEN 'trf_' WHEN 1 THEN 'pay_' ELSE 'bat_' END || replace(coalesce(v.batch, v.stream)::text, '-', '') AS id,
       v.provider, v.account_name AS account, v.account_mode AS mode, v.method, v.country, v.reference, v.customer, v.payee,
       'sch_' || replace(v.schedule::text, '-', '') AS schedule, v.part, v.operation_reference, v.provider_reference,
       v.evidence, v.commanded
  FROM paystream.movement v JOIN paystream.merchant m ON m.id = v.merchant
 WHERE v.merchant = ANY ((SELECT paystream.my_merchants())::int[]);
COMMENT ON VIEW reporting.movements IS 'Every change of money that evidence proved: written once, never changed; what takes something back is below zero.';
COMMENT ON COLUMN reporting.movements.merchant IS 'The merchant, by its name.';
COMMENT ON COLUMN reporting.movements.position IS 'The place of its event in the log; as of a position is position <= it.';
COMMENT ON COLUMN reporting.movements.number IS 'Its place among the movements of that event.';
COMMENT ON COLUMN reporting.movements.movement IS 'What moved: authorised, captured, refunded, fee and so on; docs/finance.md lists them.';
COMMENT ON COLUMN reporting.movements.at IS 'When its evidence was recorded: days by it never change once they are over.';
COMMENT ON COLUMN reporting.movements.effective_at IS 'The provider''s time where it can be true, else that of the evidence.';
COMMENT ON COLUMN reporting.movements.amount IS 'In minor units of the currency; below zero where evidence takes something back.';
COMMENT ON COLUMN reporting.movements.currency IS 'ISO 4217.';
COMMENT ON COLUMN reporting.movements.items IS 'How many parts more, or fewer: 1 for a new one, 0 for another amount of a known one.';
COMMENT ON COLUMN reporting.movements.kind IS 'payment, transfer or bill.';
COMMENT ON COLUMN reporting.movements.id IS 'The payment, transfer or batch of bills, as the API writes it.';
COMMENT ON COLUMN reporting.movements.provider IS 'The provider.';
COMMENT ON COLUMN reporting.movements.account IS 'The provider account, by its name then.';
COMMENT ON COLUMN reporting.movements.mode IS 'live, test or live-autocancel.';
COMMENT ON COLUMN reporting.movements.method IS 'The provider''s word for how it was paid, or how it was asked for.';
COMMENT ON COLUMN reporting.movements.country IS 'The payer''s country, where the merchant said it.';
COMMENT ON COLUMN reporting.movements.reference IS 'The merchant''s own number.';
COMMENT ON COLUMN reporting.movements.customer IS 'The payer, as the merchant calls him.';
COMMENT ON COLUMN reporting.movements.payee IS 'Of a bill: who was paid.';
COMMENT ON COLUMN reporting.movements.schedule IS 'The schedule that the payment belongs to.';
COMMENT ON COLUMN reporting.movements.part IS 'Our operation, dispute or bill that moved it.';
COMMENT ON COLUMN reporting.movements.operation_reference IS 'Our name of the operation at the provider.';
COMMENT ON COLUMN reporting.movements.provider_reference IS 'The provider''s name of the operation.';
COMMENT ON COLUMN reporting.movements.evidence IS 'provider, total, operator, dispute, expiry or claim: what shows it.';
COMMENT ON COLUMN reporting.movements.commanded IS 'Whether somebody at the merchant asked for it.';

CREATE VIEW reporting.postings WITH (security_barrier = true) AS
SELECT m.name AS merchant, v.pos AS position, v.number, v.known_at AS at, v.effective_at, r.ledger_account,
       v.amount * r.side AS amount, v.currency, v.kind AS movement,
       CASE v.stream_kind WHEN 7 THEN 'trf_' WHEN 1 THEN 'pay_' ELSE 'bat_' END || replace(coalesce(v.batch, v.stream)::text, '-', '') AS id,
       v.provider, v.account_name AS account, v.account_mode AS mode
  FROM paystream.movement v JOIN paystream.merchant m ON m.id = v.merchant
  JOIN paystream.posting_rule r ON r.movement = v.kind
 WHERE v.merchant = ANY ((SELECT paystream.my_merchants())::int[]);
COMMENT ON VIEW reporting.postings IS 'The ledger in double entry: each movement as the lines of one entry, which sum to zero. A debit is above zero, a credit below.';
COMMENT ON COLUMN reporting.postings.merchant IS 'The merchant, by its name.';
COMMENT ON COLUMN reporting.postings.position IS 'The place of its event in the log.';
COMMENT ON COLUMN reporting.postings.number IS 'Its place among the movements of that event.';
COMMENT ON COLUMN reporting.postings.at IS 'When its evidence was recorded.';
COMMENT ON COLUMN reporting.postings.effective_at IS 'The provider''s time where it can be true.';
COMMENT ON COLUMN reporting.postings.ledger_account IS 'provider, customers, disputed, fees and so on; docs/finance.md has the rules.';
COMMENT ON COLUMN reporting.postings.amount IS 'A debit above zero, a credit below, in minor units of the currency.';
COMMENT ON COLUMN reporting.postings.currency IS 'ISO 4217.';
COMMENT ON COLUMN reporting.postings.movement IS 'The movement that it stands for.';
COMMENT ON COLUMN reporting.postings.id IS 'The payment, transfer or batch of bills.';
COMMENT ON COLUMN reporting.postings.provider IS 'The provider.';
COMMENT ON COLUMN reporting.postings.account IS 'The provider account, by its name then.';
COMMENT ON COLUMN reporting.postings.mode IS 'live, test or live-autocancel.';

CREATE VIEW reporting.facts WITH (security_barrier = true) AS
SELECT m.name AS merchant, v.pos AS position, v.number, v.known_at AS at,
       CASE v.stream_kind WHEN 7 THEN 'transfer' WHEN 1 THEN 'payment' ELSE 'schedule' END AS kind,
       CASE v.stream_kind WHEN 7 THEN 'trf_' WHEN 1 THEN 'pay_' ELSE 'sch_' END || replace(v.stream::text, '-', '') AS id,
       v.kind AS fact, v.part, v.attempt, v.decline_class, v.decline_code, v.is_first, v.is_payments_first, v.is_late, v.items,
       v.delay / 1000000.0 AS seconds, v.amount, v.currency, v.provider, v.account_name AS account, v.account_mode AS mode,
       v.method, 'sch_' || replace(v.schedule::text, '-', '') AS schedule
  FROM paystream.fact v JOIN paystream.merchant m ON m.id = v.merchant
 WHERE v.merchant = ANY ((SELECT paystream.my_merchants())::int[]);
COMMENT ON VIEW reporting.facts IS 'What events told of tries, attempts, lost answers and occurrences: written once, never changed. Rates are made of them.';
COMMENT ON COLUMN reporting.facts.merchant IS 'The merchant, by its name.';
COMMENT ON COLUMN reporting.facts.position IS 'The place of its event in the log.';
COMMENT ON COLUMN reporting.facts.number IS 'Its place among the facts of that event.';
COMMENT ON COLUMN reporting.facts.at IS 'When its evidence was recorded.';
COMMENT ON COLUMN reporting.facts.kind IS 'payment, transfer or schedule.';
COMMENT ON COLUMN reporting.facts.id IS 'The payment, transfer or schedule, as the API writes it.';
COMMENT ON COLUMN reporting.facts.fact IS 'Of a payment: tried, challenged, approved, refused, ended, paid, uncertain, certain; of a schedule: began, over, due, declined, collected, lost, skipped.';
COMMENT ON COLUMN reporting.facts.part IS 'The provider''s name of a try, our operation, an occurrence''s ordinal, or how an attempt or a schedule ended.';
COMMENT ON COLUMN reporting.facts.attempt IS 'The number of the attempt, from 1.';
COMMENT ON COLUMN reporting.facts.decline_class IS 'Why it was refused, in our words.';
COMMENT ON COLUMN reporting.facts.decline_code IS 'The provider''s code.';
COMMENT ON COLUMN reporting.facts.is_first IS 'Whether it is the attempt''s or the occurrence''s first of its kind; of ended, whether the attempt came to the provider.';
COMMENT ON COLUMN reporting.facts.is_payments_first IS 'Whether it is the payment''s first of its kind.';
COMMENT ON COLUMN reporting.facts.is_late IS 'Whether the attempt had been told as ended before, or the occurrence had been declined.';
COMMENT ON COLUMN reporting.facts.items IS 'How many occurrences were skipped; else 1.';
COMMENT ON COLUMN reporting.facts.seconds IS 'Since the payment''s first operation was asked for.';
COMMENT ON COLUMN reporting.facts.amount IS 'In minor units of the currency.';
COMMENT ON COLUMN reporting.facts.currency IS 'ISO 4217.';
COMMENT ON COLUMN reporting.facts.provider IS 'The provider.';
COMMENT ON COLUMN reporting.facts.account IS 'The provider account, by its name then.';
COMMENT ON COLUMN reporting.facts.mode IS 'live, test or live-autocancel.';
COMMENT ON COLUMN reporting.facts.method IS 'The provider''s word for how it was paid, or how it was asked for.';
COMMENT ON COLUMN reporting.facts.schedule IS 'The schedule that it belongs to.';

CREATE VIEW reporting.attempts WITH (security_barrier = true) AS
SELECT m.name AS merchant, a.id, a.attempt, a.provider, a.account, a.mode, a.method, a.amount, a.currency, a.tries, a.refusals,
       a.challenged,
       CASE WHEN a.approved_at IS NOT NULL THEN 'approved' WHEN a.ended_at IS NOT NULL THEN a.ending ELSE 'open' END AS outcome,
       a.decline_class, a.decline_code, a.tried_at, a.approved_at, a.ended_at
  FROM (SELECT v.merchant, CASE v.stream_kind WHEN 7 THEN 'trf_' ELSE 'pay_' END || replace(v.stream::text, '-', '') AS id, v.attempt,
               max(v.provider) AS provider, max(v.account_name) AS account, max(v.account_mode) AS mode, max(v.method) AS method,
               max(v.amount) AS amount, max(v.currency) AS currency,
               count(*) FILTER (WHERE v.kind = 'tried') AS tries, count(*) FILTER (WHERE v.kind = 'refused') AS refusals,
               bool_or(v.kind = 'challenged') AS challenged,
               (array_agg(v.decline_class ORDER BY v.pos DESC, v.number DESC) FILTER (WHERE v.kind = 'refused'))[1] AS decline_class,
               (array_agg(v.decline_code ORDER BY v.pos DESC, v.number DESC) FILTER (WHERE v.kind = 'refused'))[1] AS decline_code,
               min(v.known_at) FILTER (WHERE v.kind = 'tried') AS tried_at, min(v.known_at) FILTER (WHERE v.kind = 'approved') AS approved_at,
               min(v.known_at) FILTER (WHERE v.kind = 'ended') AS ended_at,
               (array_agg(v.part ORDER BY v.pos) FILTER (WHERE v.kind = 'ended'))[1] AS ending
          FROM paystream.fact v
         WHERE v.merchant = ANY ((SELECT paystream.my_merchants())::int[]) AND v.attempt IS NOT NULL
           AND v.kind IN ('tried', 'challenged', 'approved', 'refused', 'ended')
         GROUP BY v.merchant, v.stream_kind, v.stream, v.attempt) a
  JOIN paystream.merchant m ON m.id = a.merchant;
COMMENT ON VIEW reporting.attempts IS 'Attempts of payments and transfers at providers, one row each, of those that took money or tried to.';
COMMENT ON COLUMN reporting.attempts.merchant IS 'The merchant, by its name.';
COMMENT ON COLUMN reporting.attempts.id IS 'The payment or transfer.';
COMMENT ON COLUMN reporting.attempts.attempt IS 'The number of the attempt, from 1.';
COMMENT ON COLUMN reporting.attempts.provider IS 'The provider.';
COMMENT ON COLUMN reporting.attempts.account IS 'The provider account, by its name then.';
COMMENT ON COLUMN reporting.attempts.mode IS 'live, test or live-autocancel.';
COMMENT ON COLUMN reporting.attempts.method IS 'The provider''s word for how it was paid, or how it was asked for.';
COMMENT ON COLUMN reporting.attempts.amount IS 'What was asked for, in minor units of the currency.';
COMMENT ON COLUMN reporting.attempts.currency IS 'ISO 4217.';
COMMENT ON COLUMN reporting.attempts.tries IS 'Operations at the provider: the payer of a form may try several.';
COMMENT ON COLUMN reporting.attempts.refusals IS 'Those that were refused.';
COMMENT ON COLUMN reporting.attempts.challenged IS 'Whether 3-D Secure was seen.';
COMMENT ON COLUMN reporting.attempts.outcome IS 'approved, declined, expired, cancelled or open.';
COMMENT ON COLUMN reporting.attempts.decline_class IS 'Of the last refusal, in our words.';
COMMENT ON COLUMN reporting.attempts.decline_code IS 'Of the last refusal, the provider''s.';
COMMENT ON COLUMN reporting.attempts.tried_at IS 'When the first try was seen.';
COMMENT ON COLUMN reporting.attempts.approved_at IS 'When it was seen as authorised or captured.';
COMMENT ON COLUMN reporting.attempts.ended_at IS 'When it ended without money.';

CREATE VIEW reporting.schedules WITH (security_barrier = true) AS
SELECT m.name AS merchant, 'sch_' || replace(v.id::text, '-', '') AS id, v.status, v.kind, v.runner, v.next_at, v.customer,
       v.reference, 'ins_' || replace(v.instrument::text, '-', '') AS instrument, v.amount, v.currency, v.collected, v.paid,
       v.created_at, v.updated_at
  FROM paystream.schedule_view v JOIN paystream.merchant m ON m.id = v.merchant
 WHERE v.merchant = ANY ((SELECT paystream.my_merchants())::int[]);
COMMENT ON VIEW reporting.schedules IS 'Recurring payments, one row each, as they stand now.';
COMMENT ON COLUMN reporting.schedules.merchant IS 'The merchant, by its name.';
COMMENT ON COLUMN reporting.schedules.id IS 'The schedule, as the API writes it.';
COMMENT ON COLUMN reporting.schedules.status IS 'registered, active, paused, completed, cancelled or expired.';
COMMENT ON COLUMN reporting.schedules.kind IS 'regular, unscheduled and so on, as the API names it.';
COMMENT ON COLUMN reporting.schedules.runner IS 'Who charges: daemon or provider.';
COMMENT ON COLUMN reporting.schedules.next_at IS 'When the next occurrence begins.';
COMMENT ON COLUMN reporting.schedules.customer IS 'The payer, as the merchant calls him.';
COMMENT ON COLUMN reporting.schedules.reference IS 'The merchant''s own number.';
COMMENT ON COLUMN reporting.schedules.instrument IS 'The saved credential that is charged.';
COMMENT ON COLUMN reporting.schedules.amount IS 'Of an occurrence, in minor units of the currency.';
COMMENT ON COLUMN reporting.schedules.currency IS 'ISO 4217.';
COMMENT ON COLUMN reporting.schedules.collected IS 'Collected so far, in minor units of the currency.';
COMMENT ON COLUMN reporting.schedules.paid IS 'Occurrences that were paid.';
COMMENT ON COLUMN reporting.schedules.created_at IS 'When it was registered.';
COMMENT ON COLUMN reporting.schedules.updated_at IS 'When something of it changed last.';

CREATE VIEW reporting.occurrences WITH (security_barrier = true) AS
SELECT m.name AS merchant, 'sch_' || replace(v.schedule::text, '-', '') AS schedule, v.ordinal, v.state, v.date, v.due_at,
       v.start_at, v.amount, v.currency, v.attempts, 'pay_' || replace(v.payment::text, '-', '') AS payment, v.ended_at,
       v.reason
  FROM paystream.occurrence_view v JOIN paystream.merchant m ON m.id = v.merchant
 WHERE v.merchant = ANY ((SELECT paystream.my_merchants())::int[]);
COMMENT ON VIEW reporting.occurrences IS 'What became of each occurrence of each schedule, as it stands now.';
COMMENT ON COLUMN reporting.occurrences.merchant IS 'The merchant, by its name.';
COMMENT ON COLUMN reporting.occurrences.schedule IS 'The schedule.';
COMMENT ON COLUMN reporting.occurrences.ordinal IS 'Its number in the schedule.';
COMMENT ON COLUMN reporting.occurrences.state IS 'planned, inFlight, declined, waiting, stepUp, succeeded, skipped, givenUp or dropped.';
COMMENT ON COLUMN reporting.occurrences.date IS 'Its day by the rule of the schedule.';
COMMENT ON COLUMN reporting.occurrences.due_at IS 'When it is due.';
COMMENT ON COLUMN reporting.occurrences.start_at IS 'When its next try begins, or began.';
COMMENT ON COLUMN reporting.occurrences.amount IS 'In minor units of the currency.';
COMMENT ON COLUMN reporting.occurrences.currency IS 'ISO 4217.';
COMMENT ON COLUMN reporting.occurrences.attempts IS 'Tries so far.';
COMMENT ON COLUMN reporting.occurrences.payment IS 'The payment that paid it, else the newest one.';
COMMENT ON COLUMN reporting.occurrences.ended_at IS 'When it was over.';
COMMENT ON COLUMN reporting.occurrences.reason IS 'Why it was left out or given up, or the class of its last decline.';

CREATE VIEW reporting.bill_batches WITH (security_barrier = true) AS
SELECT m.name AS merchant, 'bat_' || replace(v.id::text, '-', '') AS id, v.status, v.reference, v.customer, v.created_at
  FROM paystream.bill_batch_view v JOIN paystream.merchant m ON m.id = v.merchant
 WHERE v.merchant = ANY ((SELECT paystream.my_merchants())::int[]);
COMMENT ON VIEW reporting.bill_batches IS 'Batches of bills, one row each, as they stand now.';
COMMENT ON COLUMN reporting.bill_batches.merchant IS 'The merchant, by its name.';
COMMENT ON COLUMN reporting.bill_batches.id IS 'The batch, as the API writes it.';
COMMENT ON COLUMN reporting.bill_batches.status IS 'The status as the API names it.';
COMMENT ON COLUMN reporting.bill_batches.reference IS 'The merchant''s own number.';
COMMENT ON COLUMN reporting.bill_batches.customer IS 'The payer, as the merchant calls him.';
COMMENT ON COLUMN reporting.bill_batches.created_at IS 'When it was created.';

CREATE VIEW reporting.bills WITH (security_barrier = true) AS
SELECT m.name AS merchant, 'bat_' || replace(v.batch::text, '-', '') AS batch, v.ordinal, v.bill, v.amount, v.currency,
       v.outcome
  FROM paystream.bill_view v JOIN paystream.merchant m ON m.id = v.merchant
 WHERE v.merchant = ANY ((SELECT paystream.my_merchants())::int[]);
COMMENT ON VIEW reporting.bills IS 'Bills of batches, one row each, as they stand now.';
COMMENT ON COLUMN reporting.bills.merchant IS 'The merchant, by its name.';
COMMENT ON COLUMN reporting.bills.batch IS 'The batch.';
COMMENT ON COLUMN reporting.bills.ordinal IS 'Its place in the upload.';
COMMENT ON COLUMN reporting.bills.bill IS 'The bill, as the merchant calls it.';
COMMENT ON COLUMN reporting.bills.amount IS 'What was asked for, in minor units of the currency.';
COMMENT ON COLUMN reporting.bills.currency IS 'ISO 4217.';
COMMENT ON COLUMN reporting.bills.outcome IS 'waiting, pending, paid, claimed, declined, unknown and so on, as the API names it.';

CREATE VIEW reporting.instruments WITH (security_barrier = true) AS
SELECT m.name AS merchant, 'ins_' || replace(v.id::text, '-', '') AS id, v.status, v.customer,
       v.document ->> 'scheme' AS scheme, v.document ->> 'masked' AS masked, (v.document ->> 'expiryYear')::int AS expiry_year,
       (v.document ->> 'expiryMonth')::int AS expiry_month, (v.document ->> 'uses')::bigint AS uses, v.created_at
  FROM paystream.instrument_view v JOIN paystream.merchant m ON m.id = v.merchant
 WHERE v.merchant = ANY ((SELECT paystream.my_merchants())::int[]);
COMMENT ON VIEW reporting.instruments IS 'Saved credentials, one row each: what they show, never their tokens.';
COMMENT ON COLUMN reporting.instruments.merchant IS 'The merchant, by its name.';
COMMENT ON COLUMN reporting.instruments.id IS 'The instrument, as the API writes it.';
COMMENT ON COLUMN reporting.instruments.status IS 'usable, removed and so on, as the API names it.';
COMMENT ON COLUMN reporting.instruments.customer IS 'The payer, as the merchant calls him.';
COMMENT ON COLUMN reporting.instruments.scheme IS 'As in visa.';
COMMENT ON COLUMN reporting.instruments.masked IS 'The card as it is shown, as in 431422******0056.';
COMMENT ON COLUMN reporting.instruments.expiry_year IS 'The year in which the card ends.';
COMMENT ON COLUMN reporting.instruments.expiry_month IS 'The last month of the card.';
COMMENT ON COLUMN reporting.instruments.uses IS 'How often it was charged.';
COMMENT ON COLUMN reporting.instruments.created_at IS 'When it was saved.';

CREATE VIEW reporting.open_items WITH (security_barrier = true) AS
SELECT m.name AS merchant, CASE v.kind WHEN 7 THEN 'trf_' ELSE 'pay_' END || replace(v.id::text, '-', '') AS id,
       o.value ->> 'kind' AS item, o.value ->> 'owner' AS owner, o.value ->> 'nextStep' AS next_step,
       o.value ->> 'reason' AS reason, v.status, v.amount, v.currency, v.provider, v.account_mode AS mode, v.updated_at
  FROM paystream.payment_view v JOIN paystream.merchant m ON m.id = v.merchant
 CROSS JOIN LATERAL json_array_elements(v.document -> 'obligations') AS o (value)
 WHERE v.merchant = ANY ((SELECT paystream.my_merchants())::int[]) AND v.document -> 'obligations' IS NOT NULL;
COMMENT ON VIEW reporting.open_items IS 'What payments and transfers are still owed, one row for each obligation, as it stands now.';
COMMENT ON COLUMN reporting.open_items.merchant IS 'The merchant, by its name.';
COMMENT ON COLUMN reporting.open_items.id IS 'The payment or transfer.';
COMMENT ON COLUMN reporting.open_items.item IS 'What is unresolved, as in hold, operation or dispute.';
COMMENT ON COLUMN reporting.open_items.owner IS 'Who owes the next step: payer, provider, merchant or operator.';
COMMENT ON COLUMN reporting.open_items.next_step IS 'The next step, as the API names it.';
COMMENT ON COLUMN reporting.open_items.reason IS 'A stable word for why.';
COMMENT ON COLUMN reporting.open_items.status IS 'The status of the payment.';
COMMENT ON COLUMN reporting.open_items.amount IS 'Of the payment, in minor units of the currency.';
COMMENT ON COLUMN reporting.open_items.currency IS 'ISO 4217.';
COMMENT ON COLUMN reporting.open_items.provider IS 'The provider.';
COMMENT ON COLUMN reporting.open_items.mode IS 'live, test or live-autocancel.';
COMMENT ON COLUMN reporting.open_items.updated_at IS 'When something of the payment changed last.';
