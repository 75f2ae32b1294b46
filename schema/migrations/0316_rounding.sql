-- What a payout differs by from the lines that it pays is booked as rounding, where an account's mapping says how much may be.

-- They are made again with other arguments, or another answer.
DROP FUNCTION IF EXISTS paystream.settlement_finish(
    int, uuid, uuid, bytea, int, int, json, text, date, date, uuid, int, text, text);
DROP FUNCTION IF EXISTS paystream.report_settlement(int, text, date, date, text, bigint, boolean, json);

CREATE OR REPLACE VIEW paystream.posting_rule (movement, ledger_account, side) WITH (security_invoker = true) AS VALUES
    ('authorised', 'authorised', 1), ('authorised', 'authorisedContra', -1),
    ('holdCaptured', 'authorisedContra', 1), ('holdCaptured', 'authorised', -1),
    ('holdReleased', 'authorisedContra', 1), ('holdReleased', 'authorised', -1),
    ('holdExpired', 'authorisedContra', 1), ('holdExpired', 'authorised', -1),
    ('captured', 'provider', 1), ('captured', 'customers', -1),
    ('refunded', 'customers', 1), ('refunded', 'provider', -1),
    ('refundReversed', 'provider', 1), ('refundReversed', 'customers', -1),
    ('transferred', 'passedOn', 1), ('transferred', 'passedOnContra', -1),
    ('disputed', 'disputed', 1), ('disputed', 'provider', -1),
    ('disputeWon', 'provider', 1), ('disputeWon', 'disputed', -1),
    ('disputeLost', 'chargebacks', 1), ('disputeLost', 'disputed', -1),
    ('fee', 'fees', 1), ('fee', 'provider', -1),
    ('payout', 'bank', 1), ('payout', 'provider', -1),
    ('rounding', 'rounding', 1), ('rounding', 'provider', -1),
    ('reserveHeld', 'reserve', 1), ('reserveHeld', 'provider', -1),
    ('reserveReturned', 'provider', 1), ('reserveReturned', 'reserve', -1),
    ('adjustment', 'provider', 1), ('adjustment', 'suspense', -1);
