-- Reckons rounding again of files whose duplicates an act ended: what two persons adjust, or what found its movement, is in its file's sum.
CREATE OR REPLACE FUNCTION paystream.settlement_round_again(of_merchant int, of_account uuid, of_act uuid) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    of_file uuid;
    newest record;
BEGIN
    FOR of_file IN SELECT DISTINCT x.file FROM paystream.settlement_exception x
                    WHERE x.merchant = of_merchant AND x.ended_act = of_act AND x.class = 'duplicate' LOOP
        SELECT f.id, coalesce((m.document ->> 'rounding')::int, 0) AS most INTO newest
          FROM paystream.settlement_file f
          JOIN paystream.settlement_mapping m ON m.merchant = f.merchant AND m.account = f.account AND m.version = f.mapping
         WHERE f.merchant = of_merchant AND f.id = paystream.settlement_newest(of_merchant, of_file);
        PERFORM paystream.settlement_round(of_merchant, of_account, newest.id, of_act, newest.most);
    END LOOP;
END
$$;
