/// Where a payment stands: a function of its amounts, its attempt and its open operations, stored nowhere by hand.
package enum PaymentStatus: String, Hashable, Sendable, CaseIterable {
    /// Accepted; nothing was given to the payer yet.
    case created
    /// The payer has something to do: open the page, pass 3-D Secure, answer a question, try again.
    case requiresAction
    /// The provider works on it.
    case processing
    /// The provider does not know or an answer was lost; evidence or an operator decides, time never does.
    case indeterminate
    /// Money is held.
    case authorized
    case partiallyCaptured
    case captured
    case partiallyRefunded
    case refunded
    /// The payer's bank took money back for now.
    case disputed
    /// A dispute ended against the merchant.
    case chargedBack
    /// The hold was given back on command, or the unpaid payment was cancelled.
    case voided
    /// The hold ended without a command: the provider or its lifetime released it.
    case released
    /// The instrument was checked.
    case verified
    /// The instrument was saved.
    case tokenized
    case failed
    case expired

    /// Whether the status can still change without a command or unexpected evidence.
    package var isOpen: Bool {
        switch self {
        case .created, .requiresAction, .processing, .indeterminate: true
        case .authorized, .partiallyCaptured, .captured, .partiallyRefunded, .refunded, .disputed, .chargedBack,
            .voided,
            .released, .verified, .tokenized, .failed, .expired:
            false
        }
    }
}
