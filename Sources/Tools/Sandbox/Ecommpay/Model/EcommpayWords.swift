/// The words the simulator uses for `payment.status`.
package enum EcommpayPaymentStatus: String, Hashable, Sendable, CaseIterable {
    case processing
    case externalProcessing = "external processing"
    case awaiting3ds = "awaiting 3ds result"
    case awaitingRedirect = "awaiting redirect result"
    case awaitingCustomer = "awaiting customer"
    case awaitingCustomerAction = "awaiting customer action"
    case awaitingClarification = "awaiting clarification"
    case awaitingCapture = "awaiting capture"
    case success
    case decline
    case error
    case internalError = "internal error"
    case externalError = "external error"
    case cancelled
    case canceled
    case reversed
    case partiallyReversed = "partially reversed"
    case refunded
    case partiallyRefunded = "partially refunded"
    case expired
    /// A word that no document knows: what a platform may say tomorrow.
    case unheardOf = "quantum settlement"

    /// Whether the payer, or time, must still end the attempt.
    package var isOpen: Bool {
        switch self {
        case .processing, .externalProcessing, .awaiting3ds, .awaitingRedirect, .awaitingCustomer,
            .awaitingCustomerAction, .awaitingClarification, .internalError, .externalError, .unheardOf:
            true
        case .awaitingCapture, .success, .decline, .error, .cancelled, .canceled, .reversed, .partiallyReversed,
            .refunded, .partiallyRefunded, .expired:
            false
        }
    }
}

/// The words for `operation.type`.
package enum EcommpayOperationType: String, Hashable, Sendable, CaseIterable {
    case sale, auth, capture, cancel, refund, reversal, recurring
    case refundReverse = "refund reverse"
    case verification = "account verification"
    case manualChange = "manual change"
}

/// The words for `operation.status`.
package enum EcommpayOperationStatus: String, Hashable, Sendable, CaseIterable {
    case success, decline, processing, error, expired
    case externalProcessing = "external processing"
    case awaiting3ds = "awaiting 3ds result"
    case awaitingRedirect = "awaiting redirect result"
    case awaitingCustomerAction = "awaiting customer action"
    case awaitingClarification = "awaiting clarification"
    case internalError = "internal error"
    case externalError = "external error"
    case unheardOf = "quantum settlement"
}

/// The purpose of a form.
package enum EcommpayMode: String, Hashable, Sendable, CaseIterable {
    case purchase
    case cardVerify = "card_verify"
    case tokenize = "card_tokenize"
}

/// Codes of operations and refusals, as far as the simulator says them.
package enum EcommpayCode: Int, Hashable, Sendable, CaseIterable {
    case success = 0
    case notReturned = 108
    case risk = 402
    case internalError = 501
    case autoDecline = 603
    case badJson = 2003
    case fieldMissing = 2004
    case projectUnknown = 2442
    case badPaymentId = 3024
    case paymentIdTaken = 3041
    case wrongState = 3060
    case notFound = 3061
    case badCurrency = 3121
    case seriesUnknown = 3181
    case scheduledNameTaken = 3182
    case seriesCancelled = 3184
    case tokenUnknown = 3221
    case refundIdTaken = 3230
    case wrongSignature = 3261
    case emptySignature = 3262
    case refundTooLarge = 3283
    case refundCurrency = 3284
    case amountRequired = 3286
    case currencyRequired = 3287
    case amountTooLarge = 2642
    case awaiting = 9999
    case generalDecline = 10000
    case wrong3dsPassword = 10104
    case insufficientFunds = 10105
    case cardExpired = 10106
    case doNotRetry = 10113
    case refundUnavailable = 10706
    case providerProcessing = 20899
    /// Not on any list.
    case unheardOf = 77777

    package var text: String { String(rawValue) }

    /// The message that goes with a code.
    static func message(of code: String) -> String {
        Int(code).flatMap(EcommpayCode.init)?.message ?? "Declined with code \(code)"
    }

    package var message: String {
        switch self {
        case .success: "Success"
        case .notReturned: "Customer has not returned from ACS"
        case .risk: "Declined by the risk system"
        case .internalError: "Internal error"
        case .autoDecline: "Auto decline"
        case .badJson: "Invalid JSON string"
        case .fieldMissing: "Required field not provided"
        case .projectUnknown: "Project ID not found"
        case .badPaymentId: "Invalid Payment ID"
        case .paymentIdTaken: "Payment ID already exists"
        case .wrongState: "Current payment or operation status does not allow this action"
        case .notFound: "Transaction not found"
        case .badCurrency: "Invalid currency"
        case .scheduledNameTaken: "Scheduled payment ID is used already"
        case .seriesUnknown: "COF purchase registration ID not found"
        case .seriesCancelled: "COF purchase registration ID is cancelled"
        case .tokenUnknown: "Card token not found"
        case .refundIdTaken: "The operation with such merchant_refund_id already exists"
        case .wrongSignature: "Invalid signature"
        case .emptySignature: "Empty signature"
        case .refundTooLarge: "Refund amount more than init amount"
        case .refundCurrency: "Refund currency mismatched or empty"
        case .amountRequired: "The property amount is required"
        case .currencyRequired: "The property currency is required"
        case .amountTooLarge: "Operation amount is greater than limit"
        case .awaiting: "Awaiting processing"
        case .generalDecline: "General decline"
        case .wrong3dsPassword: "Incorrect 3DS password"
        case .insufficientFunds: "Insufficient funds on card"
        case .cardExpired: "Card expired"
        case .doNotRetry: "Insufficient Funds. Do not retry"
        case .refundUnavailable: "Refund unavailable for current operation"
        case .providerProcessing: "The payment is processed on the provider side"
        case .unheardOf: "Declined for a reason without a name"
        }
    }
}
