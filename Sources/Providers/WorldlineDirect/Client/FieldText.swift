/// The rules about texts, as the provider's kits run them.
enum FieldText {
    /// Longer values are refused before a rule sees them.
    static let valueBytes = 512
    private static let patternBytes = 1024

    /// Labels without `@` divided by dots, exactly one `@`, and a last label of two characters or more.
    static func isEmail(_ value: String) -> Bool {
        let parts = value.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return false }
        let local = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let domain = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard local.allSatisfy({ !$0.isEmpty }), domain.allSatisfy({ !$0.isEmpty }), domain.count >= 2 else {
            return false
        }
        return (domain.last?.count ?? 0) >= 2
    }

    /// Country, check digits, four letters or digits, seven digits, up to sixteen more; modulo 97 is 1.
    static func isIban(_ value: String) -> Bool {
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

    /// Whether the pattern stands anywhere in the value; a pattern that can't be read allows nothing.
    static func matches(_ value: String, _ pattern: String?) -> Bool {
        guard let pattern, pattern.utf8.count <= patternBytes, value.utf8.count <= valueBytes,
            let regex = try? Regex(pattern)
        else { return false }
        return (try? regex.firstMatch(in: value)) != nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) }
}
