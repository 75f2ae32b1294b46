package import ProviderKit

/// The joint meaning of `status`, `statusCode` and `statusCategory`, of a payment or of one operation in it.
///
/// 1. Codes of refused and unfinished follow-ups come first: their text would say that the payment failed.
/// 2. Then the text, then the category, then the code. Where text and code differ, the less final one counts.
package struct StatusTable {
    package static let version = 1

    /// One reading.
    package enum Word: String, Hashable, Sendable, CaseIterable {
        case created, redirected, pending
        /// The provider does not know whether the issuer agreed: it may have, so nothing is sent again.
        case uncertain
        case authorized
        case capturePending, captured, captureRefused
        case cancelledByPayer, voidPending, voided, voidRefused
        /// Cancelled, and nothing says whether before or after the authorization.
        case cancelled
        case declined
        case refundPending, refunded, refundRefused
        /// Its meaning is not published.
        case reversed

        /// How final the word is; of two that differ the lower one counts.
        var finality: Int {
            switch self {
            case .created, .redirected, .pending, .uncertain: 0
            case .capturePending, .voidPending, .refundPending: 1
            case .authorized, .captureRefused, .voidRefused, .refundRefused, .cancelled, .reversed: 2
            case .captured, .cancelledByPayer, .voided, .declined, .refunded: 3
            }
        }
    }

    /// The words as they stood.
    package struct Input: Hashable, Sendable {
        package let status: String?
        package let code: Int64?
        package let category: String?

        package init(status: String?, code: Int64?, category: String?) {
            self.status = status
            self.code = code
            self.category = category
        }
    }

    /// `nil` where no table knows anything of it.
    package static func read(_ input: Input) -> Word? {
        if let code = input.code, let word = followUps[code] { return word }
        let byCode = input.code.flatMap { codes[$0] }
        if let status = input.status, let byText = texts[status] {
            // A cancellation's text leaves open when; its code tells.
            if byText == .cancelled { return byCode ?? byText }
            guard let byCode, byCode.finality < byText.finality else { return refine(byText, byCode) }
            return byCode
        }
        if let category = input.category, let byCategory = categories[category] { return byCategory }
        return byCode
    }

    /// A code that is as final as its text may say more: `52` is an authorization that nobody knows of.
    private static func refine(_ text: Word, _ code: Word?) -> Word {
        text == .pending && code == .uncertain ? .uncertain : text
    }

    /// Whether a status is one of the older platform's or of none at all: it is kept and alerted.
    package static func isKnown(_ status: String) -> Bool { texts[status] != nil }

    private static let followUps: [Int64: Word] = [
        63: .voidRefused, 73: .refundRefused, 83: .refundRefused, 93: .captureRefused,
        61: .voidPending, 62: .voidPending,
    ]

    private static let texts: [String: Word] = [
        "CREATED": .created, "CANCELLED": .cancelled, "REJECTED": .declined, "REJECTED_CAPTURE": .captureRefused,
        "REDIRECTED": .redirected, "PENDING_PAYMENT": .pending, "PENDING_COMPLETION": .pending,
        "PENDING_CAPTURE": .authorized, "AUTHORIZATION_REQUESTED": .pending, "CAPTURE_REQUESTED": .capturePending,
        "CAPTURED": .captured, "REVERSED": .reversed, "REFUND_REQUESTED": .refundPending, "REFUNDED": .refunded,
    ]

    /// `UNSUCCESSFUL` is not here: alone it may be about a follow-up as well as about the payment.
    private static let categories: [String: Word] = [
        "CREATED": .created, "PENDING_PAYMENT": .pending, "PENDING_MERCHANT": .authorized,
        "PENDING_CONNECT_OR_3RD_PARTY": .pending, "COMPLETED": .captured, "REVERSED": .reversed,
        "REFUNDED": .refundPending,
    ]

    private static let codes: [Int64: Word] = [
        0: .created, 1: .cancelledByPayer, 2: .declined, 4: .capturePending, 40: .pending, 41: .pending,
        46: .redirected, 5: .authorized, 50: .pending, 51: .pending, 52: .uncertain, 55: .pending, 56: .authorized,
        57: .declined, 59: .declined, 6: .voided, 64: .voided, 7: .refunded, 74: .refunded, 71: .refundPending,
        72: .refundPending, 8: .refunded, 81: .refundPending, 82: .refundPending, 85: .refunded, 9: .captured,
        91: .capturePending, 92: .capturePending, 99: .capturePending,
    ]

    /// The states of words that speak of money and come without an operation.
    package static let moneyWords: [String: ProviderState] = [
        Word.captured.rawValue: .captured, Word.refunded.rawValue: .partlyReturned, Word.voided.rawValue: .released,
    ]
}

/// A payout's status: money to a payee, read for the record alone.
package enum PayoutTable {
    package enum Word: String, Hashable, Sendable { case pending, succeeded, failed, reversed }

    package static func read(_ status: String) -> Word? { words[status] }

    private static let words: [String: Word] = [
        "CREATED": .pending, "PENDING_APPROVAL": .pending, "PAYOUT_REQUESTED": .pending, "ACCOUNT_CREDITED": .succeeded,
        "REJECTED": .failed, "REJECTED_CREDIT": .failed, "CANCELLED": .failed, "REVERSED": .reversed,
    ]
}
