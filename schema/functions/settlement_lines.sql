-- Keeps lines of a file that is being imported. `is_local` says that their times are readings of a clock in the zone, told as UTC.
CREATE OR REPLACE FUNCTION paystream.settlement_lines(
    of_merchant int, of_file uuid, of_zone text, is_local boolean, p_number int[], p_kind text[], p_word text[], p_amount bigint[],
    p_side int[], p_currency text[], p_fee bigint[], p_expected_fee bigint[], p_provider_reference text[], p_reference text[], p_at timestamptz[])
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    INSERT INTO paystream.settlement_line (merchant, file, number, kind, word, amount, side, currency, fee, expected_fee,
        provider_reference, reference, at)
    SELECT of_merchant, of_file, l.number, l.kind, l.word, l.amount, l.side, l.currency, l.fee, l.expected_fee, l.provider_reference, l.reference,
           CASE WHEN is_local THEN (l.at AT TIME ZONE 'UTC') AT TIME ZONE of_zone ELSE l.at END
      FROM unnest(p_number, p_kind, p_word, p_amount, p_side, p_currency, p_fee, p_expected_fee, p_provider_reference, p_reference, p_at)
        AS l (number, kind, word, amount, side, currency, fee, expected_fee, provider_reference, reference, at);
END
$$;
