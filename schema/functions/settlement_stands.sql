-- Whether what two persons booked for an exception still stands, as of a position: it is taken back where its line counts no longer, or
-- where its other side came.
CREATE OR REPLACE FUNCTION paystream.settlement_stands(
    of_merchant int, of_exception uuid, as_of bigint DEFAULT 9223372036854775807)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM paystream.settlement_entry e
          -- An act that is under way has no row yet.
          LEFT JOIN paystream.settlement_act a ON a.merchant = e.merchant AND a.id = e.act
         WHERE e.merchant = of_merchant AND e.exception = of_exception AND coalesce(a.pos <= as_of, true)
         GROUP BY e.kind HAVING sum(e.amount) <> 0)
$$;
