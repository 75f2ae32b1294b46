package import EventSourcing
package import Kernel

/// Requests of one merchant that are written as one row.
package struct RequestPage: Sendable {
    package let merchant: MerchantNumber
    /// The oldest and the newest of its requests.
    package let first: Uuid
    package let last: Uuid
    package let entries: [RequestEntry]

    /// `entries` are one at least, in any order.
    package init(_ merchant: MerchantNumber, _ entries: [RequestEntry]) {
        self.merchant = merchant
        self.entries = entries.sorted { $0.id < $1.id }
        first = self.entries[0].id
        last = self.entries[entries.count - 1].id
    }

    package var lines: [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(entries.count * Self.usualLine)
        for entry in entries { entry.write(to: &lines) }
        return lines
    }

    private static let usualLine = 256
}
