/// The words in which vector files tell what a provider says about a payment.
package enum ProviderReading: String, Hashable, Sendable, CaseIterable {
    case created
    case requiresAction = "requires_action"
    case pending
    case authorized
    case captured
    case refundedPartially = "refunded_partially"
    case refunded
    case voided
    case failed
    case expired
    case verified

    /// The one table from states to words.
    package init(_ state: ProviderState) {
        switch state {
        case .unregistered: self = .created
        case .waiting: self = .requiresAction
        case .processing, .indeterminate: self = .pending
        case .held: self = .authorized
        case .captured: self = .captured
        case .partlyReturned: self = .refundedPartially
        case .returned: self = .refunded
        case .released: self = .voided
        case .declined: self = .failed
        case .lapsed: self = .expired
        case .checked: self = .verified
        }
    }

    /// A state that the word stands for; `pending` alone does not tell that the outcome is indeterminate.
    package var state: ProviderState {
        switch self {
        case .created: .unregistered
        case .requiresAction: .waiting
        case .pending: .processing
        case .authorized: .held
        case .captured: .captured
        case .refundedPartially: .partlyReturned
        case .refunded: .returned
        case .voided: .released
        case .failed: .declined
        case .expired: .lapsed
        case .verified: .checked
        }
    }
}
