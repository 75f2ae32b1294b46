-- What open lines and the account's movements without a line have in common, by what a line names: 'operation', the provider's name of the
-- operation itself; 'reference', a payment, by any of its names. Each line and each movement of a name is a row of its own: a line has a
-- file, a movement a stream. Only the merchant's own movements at that account come into question. `with_adjusted` are those lines, too, for
-- which the books were adjusted: who asks for them takes a movement of the same amount alone.
CREATE OR REPLACE FUNCTION paystream.settlement_candidates(of_merchant int, of_account uuid, of_file uuid, how text, with_adjusted boolean DEFAULT false)
RETURNS TABLE (name text, kind text, amount bigint, currency text, file uuid, line int, stream uuid, version int, number smallint,
    pos bigint)
LANGUAGE plpgsql STABLE SET jit = off AS $$
BEGIN
    RETURN QUERY
    WITH named AS MATERIALIZED (
        SELECT n.name, l.kind, l.amount, l.currency, l.file, l.number
          FROM (SELECT o.file, o.number, o.kind, o.amount, o.currency, o.provider_reference, o.reference
                  FROM paystream.settlement_open_lines(of_merchant, of_account, of_file) o
                UNION ALL
                SELECT o.file, o.number, o.kind, o.amount, o.currency, o.provider_reference, o.reference
                  FROM paystream.settlement_adjusted_lines(of_merchant, of_account) o WHERE with_adjusted) l
          CROSS JOIN LATERAL (
              SELECT l.provider_reference WHERE how = 'operation' AND l.provider_reference IS NOT NULL
              UNION ALL
              SELECT r.stream::text FROM (
                  SELECT DISTINCT x.stream FROM paystream.reference x
                   WHERE how = 'reference' AND x.merchant = of_merchant AND x.account = of_account
                     AND x.kind IN ('payment', 'operation', 'order') AND x.value IN (l.reference, l.provider_reference)) r) n (name))
    SELECT l.name, l.kind, l.amount, l.currency, l.file, l.number, NULL::uuid, NULL::int, NULL::smallint, NULL::bigint FROM named l
    UNION ALL
    SELECT k.name, m.kind, m.amount, m.currency, NULL, NULL, m.stream, m.version, m.number, m.pos
      FROM (SELECT DISTINCT l.name FROM named l) k
      CROSS JOIN LATERAL (
          SELECT s.* FROM paystream.settleable(of_merchant) s WHERE how = 'operation' AND s.provider_reference = k.name
          UNION ALL
          SELECT s.* FROM paystream.settleable(of_merchant) s WHERE s.stream = CASE how WHEN 'reference' THEN k.name::uuid END) m
     WHERE m.account = of_account AND m.amount > 0
       AND NOT EXISTS (SELECT FROM paystream.settlement_match x
                        WHERE x.merchant = of_merchant AND x.stream = m.stream AND x.version = m.version AND x.number = m.number
                          AND x.ended_act IS NULL);
END
$$;
