/// The words of a bill's status, in the gateway, the SDK and bulk bills alike.
package enum StatusTable: String, Hashable, Sendable, CaseIterable {
    static let version = 1

    case created = "CREATED"
    case paid = "PAYED"
    case held = "PREAUTH"
    case rejected = "REJECTED"
    case returned = "RETURN"
    /// Bulk bills only, spelled with one L.
    case cancelled = "CANCELED"

    /// Which row of an order says more.
    var precedence: Int {
        switch self {
        case .paid: 4
        case .held: 3
        case .created: 2
        case .rejected, .cancelled: 1
        case .returned: 0
        }
    }
}
