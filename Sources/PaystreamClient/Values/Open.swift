/// A word of the API that may be newer than this library.
///
/// Compare it with a known one, as in `payment.status == .captured`, or switch over `known`.
public enum Open<Known>: Sendable, Hashable
where Known: RawRepresentable & Hashable & Sendable, Known.RawValue == String {
    case known(Known)
    case other(String)

    public init(_ text: String) {
        self = Known(rawValue: text).map(Self.known) ?? .other(text)
    }

    /// The word, where this library knows it.
    public var known: Known? {
        switch self {
        case .known(let word): word
        case .other: nil
        }
    }

    /// The word as the API writes it.
    public var text: String {
        switch self {
        case .known(let word): word.rawValue
        case .other(let text): text
        }
    }

    public static func == (open: Self, word: Known) -> Bool { open.known == word }
    public static func != (open: Self, word: Known) -> Bool { open.known != word }
}

extension Open: Codable {
    public init(from decoder: any Decoder) throws { self.init(try String(from: decoder)) }
    public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

extension Open: CustomStringConvertible {
    public var description: String { text }
}

/// Tells whether a word is known, whatever its family.
package protocol OpenWord {
    var isKnown: Bool { get }
}

extension Open: OpenWord {
    package var isKnown: Bool { known != nil }
}
