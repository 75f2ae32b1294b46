-- Lines that book themselves are found by their name, and without one by what they say.
CREATE INDEX settlement_line_payout ON paystream.settlement_line (merchant, provider_reference)
    WHERE kind = 'payout' AND provider_reference IS NOT NULL;
CREATE INDEX settlement_line_nameless ON paystream.settlement_line (merchant, at, amount)
    WHERE kind IN ('payout', 'reserveHeld', 'reserveReturned', 'fee') AND provider_reference IS NULL AND reference IS NULL;
