/// A concern of a report beside the payment itself: something that a person must know of.
package enum ClaimConcern: String, Hashable, Sendable, CaseIterable {
    /// Our own checks should have kept it from happening.
    case defect
    /// The account at the provider is not set up for it.
    case configuration
    /// A person looks at it.
    case task
    /// Its schedule says: the occurrence was due with another amount.
    case amountDiffers = "amount_differs"
    /// Its schedule says: the occurrence was paid before.
    case paidTwice = "paid_twice"

    /// Whether an app said so, and not the books.
    package var isOfApp: Bool {
        switch self {
        case .defect, .configuration, .task: true
        case .amountDiffers, .paidTwice: false
        }
    }
}

/// A report that a person must deal with.
package struct ReportedConcern: Hashable, Sendable, Comparable {
    package let concern: ClaimConcern
    /// The app's word, as in `event:noPartnerForClient`, or the schedule.
    package let code: String

    package init(_ concern: ClaimConcern, code: String) {
        self.concern = concern
        self.code = code
    }

    package static func < (left: ReportedConcern, right: ReportedConcern) -> Bool {
        (left.code, left.concern.rawValue) < (right.code, right.concern.rawValue)
    }
}
