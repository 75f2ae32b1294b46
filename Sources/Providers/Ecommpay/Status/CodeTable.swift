package import Payments

/// The provider's operation codes: what may be done next, and why it was declined.
///
/// A code never decides an outcome; the operation's status does.
package struct CodeTable {
    /// The steps that may follow a code; the texts are the words of our reference.
    package enum Next: String, Hashable, Sendable, CaseIterable {
        case success
        /// No outcome yet.
        case pending
        /// A new attempt may be made at once, capped.
        case retryNewAttempt = "retry_new_attempt"
        /// A new attempt may be made after a waiting time, capped.
        case retryLater = "retry_later"
        /// Data, amount or instrument must change first.
        case fixRequest = "fix_request"
        /// A new attempt with the payer present and 3-D Secure.
        case needsAuthentication = "needs_3ds"
        /// The platform waits for more data of the payer; not a decline.
        case needsClarification = "needs_clarification"
        /// Our id is known already: the earlier request decides.
        case duplicate
        /// The outcome may be unknown: status first.
        case statusFirst = "ambiguous_then_retry"
        /// Credentials or settings: an operator must act.
        case configuration
        /// A person must clear it with the platform or the issuer.
        case contactSupport = "contact_support"
        /// No automatic attempt with this instrument.
        case never
        /// Not in the list.
        case unknown
    }

    /// Which of our ids a duplicate code speaks about.
    package enum Duplicate: String, Hashable, Sendable, CaseIterable {
        case payment = "duplicate_payment_id"
        case scheduledPayment = "duplicate_scheduled_payment_id"
        case refund = "duplicate_refund_id"
        case operation = "duplicate_operation"
    }

    package struct Entry: Hashable, Sendable {
        package let next: Next
        /// `nil` where the code is no decline.
        package let reason: DeclineClass?
        package let duplicate: Duplicate?
    }

    /// Codes that share an entry.
    struct Group: Sendable {
        let next: Next
        let reason: DeclineClass?
        let codes: String

        init(_ next: Next, _ reason: DeclineClass?, _ codes: String) {
            self.next = next
            self.reason = reason
            self.codes = codes
        }
    }

    /// The entry of a code that is not in the list.
    static let unlisted = Entry(next: .unknown, reason: .unknown, duplicate: nil)

    /// Looks a code up by its decimal digits.
    package static func entry(_ code: String) -> Entry {
        guard let number = number(code) else { return unlisted }
        return entries[number] ?? unlisted
    }

    /// The decline that a code stands for, as the operation or request it came with was refused.
    static func decline(_ code: String?) -> Decline {
        let entry = code.map(entry)
        if entry?.duplicate == .scheduledPayment {
            return Decline(reason: .hard, code: seriesRegistered, tableVersion: version)
        }
        return Decline(reason: entry?.reason ?? .unknown, code: code, tableVersion: version)
    }

    /// A payment took nothing because the series that it was to register stands already, by another payment.
    static let seriesRegistered = "series_registered"

    static func number(_ code: String) -> Int32? {
        guard !code.isEmpty, code.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int32(code)
    }

    static let count = entries.count

    private static let entries: [Int32: Entry] = {
        var entries: [Int32: Entry] = [:]
        for group in groups {
            for code in group.codes.split(whereSeparator: \.isWhitespace) {
                guard let number = Int32(code) else { continue }
                assert(entries[number] == nil, "a code stands in one group")
                entries[number] = Entry(next: group.next, reason: group.reason, duplicate: duplicates[number])
            }
        }
        return entries
    }()

    private static let duplicates: [Int32: Duplicate] = [
        3041: .payment, 3182: .scheduledPayment, 3230: .refund, 3613: .operation, 1434: .operation,
    ]
}

/// The demands of schemes and series after particular codes.
extension CodeTable {
    /// The steps that may follow a decline automatically.
    package enum Retry: String, Hashable, Sendable {
        /// No automatic attempt with this instrument, ever.
        case never
        /// A later attempt, capped by scheme rules, always as a new payment.
        case newPaymentLater = "new_payment_later"
    }

    /// The state that a stored series must be given.
    package enum Series: String, Hashable, Sendable {
        case unknown, expired, cancelled
    }

    package static func retry(_ code: String) -> Retry? { number(code).flatMap { retries[$0] } }

    package static func series(_ code: String) -> Series? { number(code).flatMap { seriesStates[$0] } }

    private static let retries: [Int32: Retry] = [
        10105: .newPaymentLater, 10112: .newPaymentLater, 20105: .newPaymentLater,
        10113: .never, 10404: .never, 10405: .never, 10807: .never, 10810: .never, 10811: .never, 10812: .never,
    ]

    private static let seriesStates: [Int32: Series] = [
        3181: .unknown, 3183: .expired, 3301: .expired, 3184: .cancelled,
        10110: .cancelled, 20110: .cancelled, 20111: .cancelled,
    ]
}
