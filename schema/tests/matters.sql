-- What is unresolved beside payments: a series' debit is a matter until it is a payment, which owes it from then on.
\ir fixtures/units.sql

INSERT INTO paystream.merchant (id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'shop');
INSERT INTO paystream.schedule_view (merchant, id, version, pos, status, account, kind, runner, collected, paid, created_at,
    updated_at, document)
SELECT 1, pg_temp.id(n), 1, n, 'active', pg_temp.id(900), 'regular', 'provider', 0, 0, now(), now(),
       json_build_object('id', 'sch_' || n, 'oddities', json_build_object(odd, 1))
  FROM unnest('{1,2,3}'::int[], '{debitUnmatched,debitUnmatched,debitMissing}'::text[]) AS u (n, odd);
INSERT INTO paystream.event (pos, merchant, ver, stream_kind, stream, cause, type, data)
SELECT 9000 + n, 1, 2, 3, pg_temp.id(n), pg_temp.id(n), 'schedule.debit_unmatched.v1',
       json_build_object('payment', 'pay_' || replace(pg_temp.id(70 + n)::text, '-', ''))
  FROM generate_series(1, 2) n;

DO $$
BEGIN
    ASSERT (SELECT array_agg(name ORDER BY name) = '{sch_1,sch_2}' FROM paystream.open_matters(1, 10, 0)
             WHERE what = 'series' AND word = 'debit_unmatched'), 'neither is a payment';
    PERFORM pg_temp.decide(pg_temp.id(71), pg_temp.id(99), 0, ARRAY['made']);
    ASSERT (SELECT array_agg(name) = '{sch_2}' FROM paystream.open_matters(1, 10, 0) WHERE what = 'series'),
        'one is by now, and owes it itself';
    ASSERT (SELECT count(*) = 0 FROM paystream.open_matters(2, 10, 0)), 'nobody else''s';
END
$$;

-- A bill on an app's word alone is a person's a day after its batch ended; what is held or unknown, at once.
INSERT INTO paystream.bill_batch_view (merchant, id, version, pos, status, account, created_at, document)
SELECT 1, pg_temp.id(200 + hours), 1, hours, status, pg_temp.id(900), now() - interval '9 days',
       json_build_object('endedAt', now() - hours * interval '1 hour', 'mode', 'sdk')
  FROM (VALUES (25, 'claimed'), (26, 'unresolved'), (23, 'claimed'), (27, 'requires_action')) AS b (hours, status);
INSERT INTO paystream.bill_view (merchant, batch, ordinal, pos, bill, amount, currency, outcome)
SELECT 1, pg_temp.id(200 + hours), ordinal, ordinal, format('%s-%s', hours, outcome), 100, 'UAH', outcome
  FROM unnest('{25,26,23}'::int[]) AS b (hours),
       unnest('{claimed,paid,held}'::text[]) WITH ORDINALITY AS o (outcome, ordinal);

DO $$
BEGIN
    ASSERT (SELECT array_agg(name ORDER BY name) = '{23-held,25-claimed,25-held,26-claimed,26-held}'
              FROM paystream.open_matters(1, 10, 0) WHERE what = 'bill'), 'the claims of a day ago, and what is held';
    ASSERT (SELECT array_agg(id) = ARRAY[pg_temp.id(227)] FROM paystream.open_matters(1, 10, 0) WHERE what = 'batch'),
        'an app that has told nothing';
    ASSERT (SELECT f.found = 2 FROM paystream.owed_figures(10) f WHERE f.what = 'bills_claimed'), 'the claims alone';
END
$$;
