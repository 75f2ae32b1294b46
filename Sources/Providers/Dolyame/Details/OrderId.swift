/// The merchant's order id at the provider: a new one for every try.
package enum OrderId {
    package enum Fault: String, Hashable {
        case empty
        case tooLong = "too_long"
        /// The provider's own modules delete such characters silently, so that two ids may become one.
        case badCharacter = "bad_character"
        case used = "order_id_already_used"
    }

    /// The length that the provider documents; its SDK's sample breaks the rule.
    static let standardLength = 30

    package static func fault(_ id: String, atMost characters: Int = standardLength) -> Fault? {
        guard !id.isEmpty else { return .empty }
        guard id.count <= characters else { return .tooLong }
        return id.utf8.allSatisfy(isAllowed) ? nil : .badCharacter
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
