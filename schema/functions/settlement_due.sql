-- Takes the account that was looked at longest ago, where that is longer than `rest`; none where every one was looked at. Whoever takes one
-- looks at it next; where that fails, it comes up again behind all others.
CREATE OR REPLACE FUNCTION paystream.settlement_due(rest interval, of_moment timestamptz, OUT merchant int, OUT account uuid)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    UPDATE paystream.settlement_account a SET reviewed_at = of_moment
      FROM (SELECT y.merchant, y.account FROM paystream.settlement_account y
             WHERE y.through IS NOT NULL AND (y.reviewed_at IS NULL OR y.reviewed_at < of_moment - rest)
             ORDER BY y.reviewed_at NULLS FIRST LIMIT 1 FOR UPDATE SKIP LOCKED) d
     WHERE a.merchant = d.merchant AND a.account = d.account
    RETURNING a.merchant, a.account INTO merchant, account;
END
$$;
