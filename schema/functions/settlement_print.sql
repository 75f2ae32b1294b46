-- What makes a line of a corrected file the same as one of before.
CREATE OR REPLACE FUNCTION paystream.settlement_print(l paystream.settlement_line) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT md5(ROW(l.kind, l.word, l.amount, l.currency, l.fee, l.provider_reference, l.reference, l.at)::text)
$$;
