package import Kernel

/// A merchant's internal number; every key, row and report leads with it.
package struct MerchantNumber: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let value: Int32

    package init(_ value: Int32) { self.value = value }

    package var description: String { String(value) }
    package static func < (left: MerchantNumber, right: MerchantNumber) -> Bool { left.value < right.value }
}

/// The kind of thing that a stream is about; the numbers are stored and never change.
package enum StreamKind: Int16, Hashable, Sendable, CaseIterable {
    case payment = 1
    case instrument = 2
    case schedule = 3
    case billBatch = 4
    case bill = 5
    case chunk = 6
    case transfer = 7
    case account = 8
    case routing = 9
    case webhookEndpoint = 10
    case merchant = 11
    case arrivals = 12
    case paymentLink = 13
}

/// One aggregate's event stream.
///
/// Within a merchant no two streams have the same id, whatever their kinds are: the first event settles the kind, and under
/// another one there is no such stream.
package struct StreamName: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let merchant: MerchantNumber
    package let kind: StreamKind
    package let id: Uuid

    package init(_ merchant: MerchantNumber, _ kind: StreamKind, _ id: Uuid) {
        self.merchant = merchant
        self.kind = kind
        self.id = id
    }

    package var description: String { "\(merchant)/\(kind)/\(id)" }

    /// The order in which rows are locked: merchant, then id.
    package static func < (left: StreamName, right: StreamName) -> Bool {
        (left.merchant, left.id) < (right.merchant, right.id)
    }
}
