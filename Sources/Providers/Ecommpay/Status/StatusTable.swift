import Payments
package import ProviderKit

/// `payment.status`: the reading of a message that has no operation, or one that says nothing usable.
///
/// It gives a word, never an amount.
package struct StatusTable {
    static let version = 1

    package enum Scope: String, Hashable, Sendable {
        case payment
        /// Money to a payee: out of scope, kept raw.
        case payout
    }

    package struct Entry: Hashable, Sendable {
        package let scope: Scope
        /// `nil` where the word is not about a payment.
        package let state: ProviderState?
        /// The provider documents no further change of its own; verified later evidence is booked all the same.
        package let isFinal: Bool
        package let awaited: Awaited?

        package var isAmbiguous: Bool { state == .indeterminate }
    }

    /// The entry of a word that is not in the table.
    package static let unlisted = entry(.indeterminate)

    /// Looks a word up; `byForm` tells that the payment was given to a form and not started by a Gate request.
    package static func lookUp(_ status: String, byForm: Bool) -> Entry? {
        let word = Words.normalized(status)
        if word == "error", byForm { return entry(.unregistered) }
        return entries[word]
    }

    /// The states of the words that speak of money.
    static let moneyWords: [String: ProviderState] = entries.compactMapValues { entry in
        entry.state?.moneyRank == nil ? nil : entry.state
    }

    private static func entry(_ state: ProviderState, final isFinal: Bool = false, _ awaited: Awaited? = nil) -> Entry {
        Entry(scope: .payment, state: state, isFinal: isFinal, awaited: awaited)
    }

    private static let entries: [String: Entry] = [
        "processing": entry(.processing),
        "external processing": entry(.processing),
        "awaiting confirmation": entry(.processing),
        "awaiting finalization": entry(.processing),
        "awaiting payment": entry(.processing),
        "invoice sent": entry(.processing),
        "scheduled recurring processing": entry(.indeterminate),
        "awaiting clearing": entry(.indeterminate),
        "awaiting partially clearing": entry(.indeterminate),
        "clearing processing": entry(.indeterminate),
        "partially paid": entry(.indeterminate),
        "decline renewal": entry(.indeterminate),
        "internal error": entry(.indeterminate),
        "external error": entry(.indeterminate),
        "awaiting 3ds result": entry(.waiting, .threeDSecure),
        "awaiting redirect result": entry(.waiting, .redirect),
        "awaiting customer": entry(.waiting, .retry),
        "awaiting retry": entry(.waiting, .retry),
        "awaiting customer action": entry(.waiting, .customerAction),
        "awaiting clarification": entry(.waiting, .clarification),
        "awaiting clarify data": entry(.waiting, .clarification),
        "awaiting merchant auth": entry(.waiting, .merchantAuth),
        "awaiting approval": entry(.waiting, .approval),
        "awaiting capture": entry(.held),
        "success": entry(.captured, final: true),
        "partially reversed": entry(.partlyReturned),
        "partially refunded": entry(.partlyReturned),
        "reversed": entry(.returned, final: true),
        "refunded": entry(.returned, final: true),
        "cancelled": entry(.released, final: true),
        "canceled": entry(.released, final: true),
        "invoice cancelled": entry(.released, final: true),
        "decline": entry(.declined, final: true),
        "error": entry(.declined, final: true),
        "expired": entry(.lapsed, final: true),
        "partially paid out": Entry(scope: .payout, state: nil, isFinal: false, awaited: nil),
    ]
}
