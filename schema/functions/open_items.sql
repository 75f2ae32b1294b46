-- What waits for its end as of a position, by what opened it: holds, disputes, and operations whose outcome nobody knows. Of those that were
-- opened in a span of time and behind a position so many behind the last one that is known, in the order in which they were; all where `most`
-- is NULL. A hold is a stream's, a dispute is of its part. `number` tells apart what is of
-- one position: movements have their own, and facts come behind them.
CREATE OR REPLACE FUNCTION paystream.open_items(
    of_merchant int, of_mode text, begins timestamptz, ends timestamptz, since bigint, as_of bigint, last_at timestamptz DEFAULT NULL,
    last_position bigint DEFAULT NULL, last_number bigint DEFAULT NULL, most int DEFAULT NULL)
RETURNS TABLE (item text, stream_kind smallint, id uuid, part text, provider text, account text, mode text, currency text, amount numeric,
    known_at timestamptz, pos bigint, number bigint)
LANGUAGE plpgsql STABLE SET jit = off AS $$
#variable_conflict use_column
DECLARE
    first CONSTANT timestamptz := greatest(begins, last_at);
BEGIN
    RETURN QUERY
    SELECT o.item, o.stream_kind, o.id, o.part, o.provider, o.account, o.mode, o.currency, o.amount, o.known_at, o.pos, o.number::bigint
      FROM ((SELECT CASE v.kind WHEN 'disputed' THEN 'dispute' ELSE 'hold' END AS item, v.stream_kind, coalesce(v.batch, v.stream) AS id, v.part,
                    v.provider, v.account_name AS account, v.account_mode AS mode, v.currency, s.amount, v.known_at, v.pos, v.number
               FROM paystream.movement v
               CROSS JOIN LATERAL (
                   SELECT sum(CASE WHEN m.kind = v.kind THEN m.amount ELSE -m.amount END)::numeric AS amount,
                          min(ARRAY[m.version, m.number]) FILTER (WHERE m.kind = v.kind) AS opened
                     FROM paystream.movement m
                    WHERE m.merchant = of_merchant AND m.stream = v.stream AND m.pos <= as_of
                      AND CASE v.kind WHEN 'disputed' THEN m.kind IN ('disputed', 'disputeWon', 'disputeLost') AND m.part IS NOT DISTINCT FROM v.part
                                      ELSE m.kind IN ('authorised', 'holdCaptured', 'holdReleased', 'holdExpired') END
                      AND m.provider = v.provider AND m.account_name = v.account_name AND m.account_mode = v.account_mode
                      AND m.currency = v.currency OFFSET 0) s
              WHERE v.merchant = of_merchant AND v.kind IN ('authorised', 'disputed') AND v.pos > since AND v.pos <= as_of
                AND v.known_at >= first AND v.known_at < ends AND (of_mode IS NULL OR v.account_mode = of_mode)
                AND (last_at IS NULL OR (v.known_at, v.pos, v.number) > (last_at, last_position, last_number))
                AND s.amount > 0 AND s.opened = ARRAY[v.version, v.number]
              ORDER BY v.known_at, v.pos, v.number LIMIT most)
            UNION ALL
            (SELECT 'uncertain', f.stream_kind, f.stream, f.part, f.provider, f.account_name, f.account_mode, coalesce(f.currency, ''),
                    coalesce(s.amount, 0)::numeric, f.known_at, f.pos, f.number + 100000
               FROM paystream.fact f
               CROSS JOIN LATERAL (
                   SELECT max(c.amount) AS amount,
                          count(*) FILTER (WHERE c.kind = 'uncertain') > count(*) FILTER (WHERE c.kind = 'certain') AS is_open,
                          max(ARRAY[c.version, c.number]) FILTER (WHERE c.kind = 'uncertain') AS opened
                     FROM paystream.fact c
                    WHERE c.merchant = of_merchant AND c.stream = f.stream AND c.pos <= as_of AND c.kind IN ('uncertain', 'certain')
                      AND c.part IS NOT DISTINCT FROM f.part AND c.provider = f.provider AND c.account_name = f.account_name
                      AND c.account_mode = f.account_mode AND c.currency IS NOT DISTINCT FROM f.currency OFFSET 0) s
              WHERE f.merchant = of_merchant AND f.kind = 'uncertain' AND f.pos > since AND f.pos <= as_of
                AND f.known_at >= first AND f.known_at < ends AND (of_mode IS NULL OR f.account_mode = of_mode)
                AND (last_at IS NULL OR (f.known_at, f.pos, f.number + 100000) > (last_at, last_position, last_number))
                AND s.is_open AND s.opened = ARRAY[f.version, f.number]
              ORDER BY f.known_at, f.pos, f.number + 100000 LIMIT most)) o
     ORDER BY o.known_at, o.pos, o.number LIMIT most;
END
$$;
