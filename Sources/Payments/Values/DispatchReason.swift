/// Why a message has no outcome that counts, as the log keeps it in words.
///
/// The words are stored, so they never change. They are read here and compared nowhere else.
package enum DispatchReason: Hashable, Sendable {
    /// Nothing left, because the provider was out of reach or told us to wait; the rest of the words says how.
    case unreachable(String)
    /// Nothing left, because this process kept it back.
    case keptBack(KeptBack)
    /// Nothing left, because it could not be planned or sent by what the account is configured with; all of the words.
    case misconfigured(String)
    /// Nobody sent it in time.
    case expired
    /// A value that it carries was in the memory of a process that is gone.
    case secretLost
    /// Its sender vanished between the mark and the answer.
    case senderVanished
    /// Its sender gave up waiting for the answer.
    case cancelled
    /// Its sender was stopped while it waited for the answer.
    case stopped
    /// A look was answered in words that no table knows.
    case unreadable(String)
    /// A look left something open that a person must deal with; nothing but vanished operations and money without one.
    case gap(ContradictionKind, String)
    /// Words that decide nothing, as an HTTP status.
    case other(String)

    package enum KeptBack: String, Hashable, Sendable, CaseIterable {
        case vetoed, cancelled, stopped, overloaded
    }

    private static let gaps = [ContradictionKind.moneyWithoutOperation, .vanished]
    private static let misconfigurations = [
        "plan: ", "insecure", "invalid_request", "identity_unusable", "certificate_refused",
    ]

    /// Reads stored words; `text` gives the same ones back.
    package init(_ text: String) {
        if let rest = text.dropping("unreachable") {
            let kept = rest.dropping(": ").flatMap { KeptBack(rawValue: $0) }
            self = kept.map { .keptBack($0) } ?? .unreachable(rest)
        } else if let word = text.dropping("unreadable: ") {
            self = .unreadable(word)
        } else if Self.misconfigurations.contains(where: { text.hasPrefix($0) }) {
            self = .misconfigured(text)
        } else {
            for kind in Self.gaps {
                guard let detail = text.dropping("\(kind.rawValue): ") else { continue }
                self = .gap(kind, detail)
                return
            }
            let whole = [Self.expired, .secretLost, .senderVanished, .cancelled, .stopped]
            self = whole.first { $0.text == text } ?? .other(text)
        }
    }

    /// The words as they are stored.
    package var text: String {
        switch self {
        case .unreachable(let rest): "unreachable" + rest
        case .keptBack(let why): "unreachable: " + why.rawValue
        case .misconfigured(let text), .other(let text): text
        case .expired: "expired"
        case .secretLost: "secretLost"
        case .senderVanished: "sender vanished"
        case .cancelled: "cancelled"
        case .stopped: "stopped"
        case .unreadable(let word): "unreadable: " + word
        case .gap(let kind, let detail): "\(kind.rawValue): \(detail)"
        }
    }

    /// Whether the same message may leave a little later.
    package var passes: Bool {
        switch self {
        case .unreachable, .keptBack: true
        case .misconfigured, .expired, .secretLost, .senderVanished, .cancelled, .stopped, .unreadable, .gap, .other:
            false
        }
    }
}

extension String {
    /// The text behind a beginning; `nil` where it begins otherwise.
    fileprivate func dropping(_ beginning: String) -> String? {
        hasPrefix(beginning) ? String(dropFirst(beginning.count)) : nil
    }
}
