-- Looks at an account again though no file came: lines whose evidence came meanwhile find their movement, amounts and fees are held against it,
-- and time goes by. A file tells of what is settled in its period, and one of the next period would be here a day behind its end: what is older
-- than that and the usual delay is missing there. It draws a position only where anything is otherwise; answers whether.
CREATE OR REPLACE FUNCTION paystream.settlement_recheck(of_merchant int, of_account uuid, of_act uuid, of_moment timestamptz) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    held paystream.settlement_account;
    period interval;
BEGIN
    held := paystream.settlement_hold(of_merchant, of_account, of_moment);
    IF held.through IS NULL THEN
        RETURN false;
    END IF;
    SELECT f.ends_at - f.begins_at INTO period FROM paystream.settlement_file f
      JOIN paystream.settlement_act a ON a.merchant = f.merchant AND a.id = f.act
     WHERE f.merchant = of_merchant AND f.account = of_account ORDER BY a.pos DESC LIMIT 1;
    PERFORM paystream.settlement_match(of_merchant, of_account, NULL, of_act, 0, 'never', 0);
    PERFORM paystream.settlement_book(of_merchant, of_account, NULL, of_act);
    PERFORM paystream.settlement_review(of_merchant, of_account, of_act,
        greatest(held.since, held.through - (35 + held.delay_days) * interval '1 day'), held.through,
        greatest(held.through, of_moment - period - interval '1 day') - held.delay_days * interval '1 day', of_moment);
    PERFORM paystream.settlement_round_again(of_merchant, of_account, of_act);
    IF NOT EXISTS (SELECT FROM paystream.settlement_match x WHERE x.merchant = of_merchant AND x.act = of_act)
       AND NOT EXISTS (SELECT FROM paystream.settlement_exception x WHERE x.merchant = of_merchant AND x.act = of_act)
       AND NOT EXISTS (SELECT FROM paystream.settlement_exception x WHERE x.merchant = of_merchant AND x.ended_act = of_act)
       AND NOT EXISTS (SELECT FROM paystream.settlement_entry x WHERE x.merchant = of_merchant AND x.act = of_act) THEN
        RETURN false;
    END IF;
    PERFORM paystream.settlement_acted(of_merchant, of_act, 'daemon', 'review');
    RETURN true;
END
$$;
