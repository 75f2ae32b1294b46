package import Crypto
package import EventSourcing
import Http
package import Kernel
package import Projections

/// Where a reader of the event feed is: behind which event, whose feed it is, and in which recovery epoch it was told.
///
/// Its text is sealed by a code of the installation: nobody writes one but the daemon. It belongs to no filter, so that a reader may
/// change his.
package struct EventCursor: Hashable, Sendable {
    package let merchant: MerchantNumber
    package let position: EventPosition
    /// When the epoch began.
    package let epoch: Timestamp

    package init(merchant: MerchantNumber, position: EventPosition, epoch: Timestamp) {
        self.merchant = merchant
        self.position = position
        self.epoch = epoch
    }

    /// Merchant, position, number and epoch in network order.
    private var bytes: [UInt8] {
        Self.bytes(UInt64(bitPattern: Int64(merchant.value)), 4) + Self.bytes(UInt64(bitPattern: position.position), 8)
            + Self.bytes(UInt64(bitPattern: Int64(position.number)), 2)
            + Self.bytes(UInt64(bitPattern: epoch.microseconds), 8)
    }

    private static let placeBytes = 22
    private static let codeBytes = KeyRing.tagBytes + 16
    /// What the code is over beside the place, so that no list's cursor is one of the feed.
    private static let feed = Array("events".utf8)

    private static func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    private static func value(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    package func text(_ ring: KeyRing) -> String {
        let place = bytes
        return Base64.encode(place + ring.code(.cursor, place + Self.feed).prefix(Self.codeBytes), .url)
    }

    /// Reads what this installation wrote, of whichever merchant; `nil` for anything else.
    package init?(_ text: String, _ ring: KeyRing) {
        guard let bytes = Base64.decode(text, .url), bytes.count == Self.placeBytes + Self.codeBytes else { return nil }
        let place = Array(bytes.prefix(Self.placeBytes))
        let code = Array(bytes.dropFirst(Self.placeBytes))
        let known = ring.codes(.cursor, place + Self.feed).map { Array($0.prefix(Self.codeBytes)) }
        guard known.contains(where: { constantTimeEquals($0, code) }) else { return nil }
        merchant = MerchantNumber(Int32(truncatingIfNeeded: Self.value(place[0..<4])))
        position = EventPosition(
            Int64(bitPattern: Self.value(place[4..<12])),
            Int16(truncatingIfNeeded: Self.value(place[12..<14]))
        )
        epoch = Timestamp(microseconds: Int64(bitPattern: Self.value(place[14..<22])))
    }
}
