/// One money-affecting step inside an attempt.
package enum OperationKind: String, Hashable, Sendable, CaseIterable {
    case sale
    case authorize
    case verify
    case tokenize
    /// Moves the payer's money on to another card, for good.
    case transfer
    case capture
    /// Gives a hold back, whole or the part that was not captured.
    case void
    case refund
    /// Undoes a refund: the money returns to the merchant.
    case refundReversal

    /// Whether a payment can begin with it.
    package var isInitial: Bool {
        switch self {
        case .sale, .authorize, .verify, .tokenize, .transfer: true
        case .capture, .void, .refund, .refundReversal: false
        }
    }

    /// Whether its success moves money: a check or the saving of a card may only take hold of a small sum for a while.
    package var movesMoney: Bool {
        switch self {
        case .sale, .authorize, .transfer, .capture, .void, .refund, .refundReversal: true
        case .verify, .tokenize: false
        }
    }
}

/// Who asked for an operation.
package enum OperationOrigin: String, Hashable, Sendable, CaseIterable {
    case commanded
    /// Nobody here: a dashboard, an automatic rule, the provider's staff.
    case provider
}

/// Why an operation was declined, in words that mean the same for every provider.
package enum DeclineClass: String, Hashable, Sendable, CaseIterable {
    case hard, soft, insufficientFunds, stepUpRequired, instrumentInvalid, fraud, configuration, providerDown, unknown
}

/// A refusal as the provider worded it and as we read it.
package struct Decline: Hashable, Sendable {
    package let reason: DeclineClass
    /// The provider's code.
    package let code: String?
    /// Version of the code table that gave `reason`.
    package let tableVersion: Int

    package init(reason: DeclineClass, code: String?, tableVersion: Int) {
        self.reason = reason
        self.code = code
        self.tableVersion = tableVersion
    }
}

/// A step that the payer must take at the provider, by name; addresses are rendered only when they are asked for.
package enum PayerAction: Hashable, Sendable {
    /// Open the handover: the provider's page, SDK or app.
    case handover
    case threeDSecure
    case redirect
    /// Give the named additional fields.
    case clarify(fields: [String])
    /// The try was declined and the form is still open.
    case retryInForm(attemptsLeft: Int?, seconds: Int?)
    /// Scan, confirm in a banking app, pay a voucher.
    case customerAction
    /// The merchant or the provider's staff must agree.
    case approval
}
