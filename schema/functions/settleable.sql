-- What of an account's movements a provider settles, as it was known at a position of the log: each once, named by the row in which it
-- began, with what it comes to; `side` says which way it moves what the provider owes.
CREATE OR REPLACE FUNCTION paystream.settleable(of_merchant int, as_of bigint DEFAULT 9223372036854775807)
RETURNS TABLE (account uuid, stream uuid, version int, number smallint, stream_kind smallint, kind text, side int, amount bigint,
    currency text, provider_reference text, operation_reference text, at timestamptz, pos bigint)
LANGUAGE sql STABLE AS $$
    SELECT m.account, m.stream, m.version, m.number, m.stream_kind, m.kind,
           CASE WHEN m.kind IN ('captured', 'refundReversed', 'disputeWon') THEN 1 WHEN m.kind = 'disputeLost' THEN 0 ELSE -1 END,
           s.amount, m.currency, m.provider_reference, m.operation_reference, m.effective_at, m.pos
      FROM paystream.movement m
      CROSS JOIN LATERAL (
          SELECT sum(x.amount)::bigint AS amount,
                 count(*) FILTER (WHERE x.items = 1 AND (x.version, x.number) < (m.version, m.number)) AS earlier
            FROM paystream.movement x
           WHERE x.merchant = m.merchant AND x.stream = m.stream AND x.kind = m.kind AND x.pos <= as_of
             AND x.part IS NOT DISTINCT FROM m.part AND x.provider_reference IS NOT DISTINCT FROM m.provider_reference) s
     WHERE m.merchant = of_merchant AND m.items = 1 AND m.pos <= as_of AND s.earlier = 0
       AND m.kind IN ('captured', 'refunded', 'refundReversed', 'disputed', 'disputeWon', 'disputeLost')
$$;
