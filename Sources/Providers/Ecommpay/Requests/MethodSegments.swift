/// Which part of a Gate address stands for a method.
///
/// The address' segment is not the word that callbacks give as `payment.method`; this table translates.
enum MethodSegments {
    /// Version 1: words of callbacks and the segments themselves; an account may add to it.
    static let standard: [String: String] = [
        "card": "card",
        "etoken": "applepay",
        "applepay": "applepay",
        "etoken-google": "googlepay",
        "googlepay": "googlepay",
        "direct debit bacs": "directdebit/bacs",
        "directdebit/bacs": "directdebit/bacs",
        "direct debit sepa": "directdebit/sepa",
        "directdebit/sepa": "directdebit/sepa",
    ]

    /// The segment of a payment whose method nobody has told yet: the forms of this adapter offer cards first.
    static let assumed = "card"

    static func isSegment(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 128 && !text.hasPrefix("/") && !text.hasSuffix("/")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"):
                    true
                default: false
                }
            }
    }
}
