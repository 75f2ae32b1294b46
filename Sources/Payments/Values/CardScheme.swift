/// The word for a card's network, as in `visa`.
package enum CardScheme {
    private static let longest = 32

    /// A provider's word in small letters; `nil` where it is none that could be one.
    ///
    /// It is shown and counted, and nothing is decided by it: a strange word is left out, and stands in nobody's way.
    package static func word(_ told: String?) -> String? {
        guard let told, (1...longest).contains(told.utf8.count) else { return nil }
        let isWord = told.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        // A word begins with a letter: a number of a card is none.
        guard isWord, let first = told.utf8.first, first >= UInt8(ascii: "A") else { return nil }
        return told.lowercased()
    }
}
