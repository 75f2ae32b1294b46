/// An amount in a message of a provider; never a quiet `nil`.
package enum EvidenceAmount: Hashable, Sendable {
    /// The message names it: the only case that books by itself.
    case stated(Money)
    /// The message names none: it books nothing.
    case absent
    /// The message names none and, as its adapter declares under this name, never does: what was asked for counts, and
    /// the provider is asked.
    case unstated(in: String)
    /// Something stands there that is no amount: it books nothing and contradicts.
    case unreadable(String)

    /// Where it was written before messages were declared: what was asked for counted.
    package static let undeclared = EvidenceAmount.unstated(in: "")

    /// An amount of our own reckoning; nothing where there was nothing to reckon with.
    package init(_ money: Money?) { self = money.map(Self.stated) ?? .absent }

    /// Keeps as much of a text that can't be read as a person needs.
    package static func unreadable(bounded text: String) -> EvidenceAmount {
        .unreadable(String(text.prefix(charactersKept)))
    }

    /// The amount, where the message names it.
    package var money: Money? {
        switch self {
        case .stated(let money): money
        case .absent, .unstated, .unreadable: nil
        }
    }

    package var isUnreadable: Bool { if case .unreadable = self { true } else { false } }

    private static let charactersKept = 32
}
