/// International bank account numbers (ISO 13616).
package enum Iban {
    /// Whether a text is one, by the rule of payment kits: country, check digits, four letters or digits, seven digits, up
    /// to sixteen more; everything else in it is ignored, and modulo 97 is 1.
    package static func isSound(_ value: String) -> Bool {
        let text = value.utf8.compactMap { byte -> UInt8? in
            if isDigit(byte) || (65...90).contains(byte) { return byte }
            return (97...122).contains(byte) ? byte & 0xDF : nil
        }
        guard (15...31).contains(text.count), text[..<2].allSatisfy(isLetter), text[2..<4].allSatisfy(isDigit),
            text[8..<15].allSatisfy(isDigit)
        else { return false }
        var remainder = 0
        for byte in text[4...] + text[..<4] {
            let number = isDigit(byte) ? Int(byte) - 48 : Int(byte) - 55
            remainder = (remainder * (number > 9 ? 100 : 10) + number) % 97
        }
        return remainder == 1
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) }
}
