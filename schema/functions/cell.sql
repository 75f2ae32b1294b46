-- Which million of merchant numbers this database gives out: cell N has N × 1 000 000 + 1 to (N + 1) × 1 000 000.
CREATE OR REPLACE FUNCTION paystream.cell() RETURNS int LANGUAGE sql STABLE AS $$
    SELECT (s.seqmin / 1000000)::int FROM pg_catalog.pg_sequence s
     WHERE s.seqrelid = pg_get_serial_sequence('paystream.merchant', 'id')::regclass
$$;
