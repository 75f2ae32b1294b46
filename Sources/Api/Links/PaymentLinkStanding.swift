import Kernel
import Payments

/// How a payment link stands: what its merchant said, and what became of its payments.
package struct PaymentLinkStanding: Sendable {
    package enum Status: String, Hashable, Sendable, CaseIterable {
        /// It can be paid.
        case open
        /// A payment is under way, or nobody knows yet what became of one.
        case pending
        case paid
        /// Its merchant ended it.
        case deactivated
        case expired
        /// So many payments ended without money that no other one begins.
        case exhausted
        /// In a list: it can't be read, or its payments can't.
        case unreadable
    }

    let link: PaymentLink
    /// The payments of a link of one use, the oldest first; none is held of a link of many.
    let payments: [Payment]
    let status: Status

    init(_ link: PaymentLink, _ payments: [Payment], at now: Timestamp) {
        self.link = link
        self.payments = payments
        let results = payments.map(\.linkResult)
        if results.contains(.paid) {
            status = .paid
        } else if results.contains(.pending) || results.contains(.unknown) {
            status = .pending
        } else if link.deactivatedAt != nil {
            status = .deactivated
        } else if let end = link.terms?.expiresAt, end <= now {
            status = .expired
        } else {
            status = payments.count < PaymentLink.triesAtMost ? .open : .exhausted
        }
    }
}

/// What a payment means for the link that its payer began it by.
enum PaymentLinkResult: Hashable, Sendable {
    /// The payer, or the provider, has something to do.
    case pending
    /// Nobody here knows; nothing else begins before somebody does.
    case unknown
    /// Money was taken or held, whatever was given back since.
    case paid
    /// It ended without money.
    case ended
}

extension Payment {
    var linkResult: PaymentLinkResult {
        switch status {
        case .created, .requiresAction, .processing: .pending
        case .indeterminate: .unknown
        case .authorized, .partiallyCaptured, .captured, .partiallyRefunded, .refunded, .disputed, .chargedBack,
            .verified, .tokenized, .transferred:
            .paid
        case .voided, .released: amounts.authorized > 0 ? .paid : emptyResult
        case .failed, .expired: emptyResult
        }
    }

    /// Evidence that contradicts itself proves no end.
    private var emptyResult: PaymentLinkResult { openContradictions.isEmpty ? .ended : .unknown }
}
