package import Kernel

/// The place in a list behind which the next page begins.
package struct PageCursor: Hashable, Sendable {
    package let createdAt: Timestamp
    package let id: Uuid

    package init(createdAt: Timestamp, id: Uuid) {
        self.createdAt = createdAt
        self.id = id
    }

    /// Reads what `bytes` wrote; anything of another length is `nil`.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 24, let id = Uuid(bytes: bytes[8...]) else { return nil }
        let time = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(createdAt: Timestamp(microseconds: Int64(bitPattern: time)), id: id)
    }

    /// Eight bytes of microseconds since 1970 in network order, and the id.
    package var bytes: [UInt8] {
        let time = UInt64(bitPattern: createdAt.microseconds)
        return stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: time >> $0) } + id.bytes
    }
}
