public enum PaymentStatus: String, CaseIterable, Sendable {
    case created, requiresAction, processing, indeterminate, authorized, partiallyCaptured, captured, partiallyRefunded
    case refunded, disputed, chargedBack, voided, released, verified, tokenized, transferred, failed, expired
}

/// What a payment is to do: take the money, hold it, check a card, save it, or move money to another card.
public enum PaymentMode: String, CaseIterable, Sendable {
    case sale, authorize, verify, tokenize, transfer
}

/// How the payer pays: on a page, in an app, with a saved credential, with a wallet.
public enum PaymentMethod: String, CaseIterable, Sendable {
    case hosted, sdk, instrument, wallet
}

public enum AccountMode: String, CaseIterable, Sendable {
    case live, test
    case liveAutocancel = "live-autocancel"
}

public enum OperationKind: String, CaseIterable, Sendable {
    case sale, authorize, verify, tokenize, transfer, capture, void, refund, refundReversal
}

public enum OperationState: String, CaseIterable, Sendable {
    /// Under way.
    case requested, pending
    /// Nobody here can know; evidence or an operator ends it.
    case indeterminate
    case succeeded, failed, notExecuted
}

public enum OperationOrigin: String, CaseIterable, Sendable {
    case commanded, provider
}

public enum DeclineClass: String, CaseIterable, Sendable {
    case hard, soft, insufficientFunds, stepUpRequired, instrumentInvalid, fraud, configuration, providerDown, unknown
}

public enum DisputeStage: String, CaseIterable, Sendable {
    case opened, won, lost
}

public enum ObligationKind: String, CaseIterable, Sendable {
    case outcome, cancellation, operation, amount, hold, remainder, contradiction, lateSuccess, overReturned, debit
    case dispute, report, proposal, reconciliation, inquiry
    case auxiliaryRequest = "errand"
}

public enum ObligationOwner: String, CaseIterable, Sendable {
    case payer, provider, merchant, `operator`
}

public enum ObligationStep: String, CaseIterable, Sendable {
    case payerActs, askProvider, awaitAnswer, captureOrVoid, awaitRelease, fulfilOrReturn, answerDispute, askAgain
    case resolve, approve
}

public enum NextActionType: String, CaseIterable, Sendable {
    case redirect, sdk, clarify, retryInForm, wait, none
}

public enum SeriesKind: String, CaseIterable, Sendable {
    case oneClick, regular, autopayment
}
