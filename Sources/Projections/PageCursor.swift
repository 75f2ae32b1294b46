package import Kernel

/// The place in a list of payments behind which the next page begins; opaque to clients.
package struct PageCursor: Hashable, Sendable {
    package let createdAt: Timestamp
    package let id: Uuid

    package init(createdAt: Timestamp, id: Uuid) {
        self.createdAt = createdAt
        self.id = id
    }

    /// Reads what `text` wrote; anything else is `nil`.
    package init?(_ text: String) {
        guard let bytes = Base64.decode(text, .url), bytes.count == 24, let id = Uuid(bytes: bytes[8...]) else {
            return nil
        }
        let time = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(createdAt: Timestamp(microseconds: Int64(bitPattern: time)), id: id)
    }

    package var text: String {
        let time = UInt64(bitPattern: createdAt.microseconds)
        let bytes = stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: time >> $0) }
        return Base64.encode(bytes + id.bytes, .url)
    }
}
