package import Crypto
package import EventSourcing
import Kernel
package import Projections

/// Writes where a list goes on, and reads it for the list and the filter alone that it was written for.
///
/// A cursor is the place of the last row and a code over place, merchant and filter, in base64url: rows that are added stand before it
/// or behind it, and move it nowhere.
package struct CursorSeal: Sendable {
    private static let placeBytes = 24
    private static let codeBytes = KeyRing.tagBytes + 16

    private let ring: KeyRing
    /// Merchant, list and filter.
    private let list: [UInt8]

    /// `list` names the list, `filter` what narrows it, in any order.
    package init(_ ring: KeyRing, merchant: MerchantNumber, list: String, filter: [(name: String, value: String)]) {
        self.ring = ring
        let parts = filter.map { Json.array([.string($0.name), .string($0.value)]).canonicalText }.sorted()
        self.list = Json.array([.integer(Int64(merchant.value)), .string(list)] + parts.map(Json.string)).canonical
    }

    package func text(_ cursor: PageCursor) -> String {
        let place = cursor.bytes
        return Base64.encode(place + ring.code(.cursor, place + list).prefix(Self.codeBytes), .url)
    }

    /// `nil` for what this seal did not write: another list's or filter's, another merchant's, or nobody's.
    package func cursor(_ text: String) -> PageCursor? {
        guard let bytes = Base64.decode(text, .url), bytes.count == Self.placeBytes + Self.codeBytes else { return nil }
        let place = Array(bytes.prefix(Self.placeBytes))
        let code = Array(bytes.dropFirst(Self.placeBytes))
        let known = ring.codes(.cursor, place + list).map { Array($0.prefix(Self.codeBytes)) }
        guard known.contains(where: { constantTimeEquals($0, code) }) else { return nil }
        return PageCursor(bytes: place)
    }
}
