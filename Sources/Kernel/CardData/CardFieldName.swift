/// What a member's name says it holds, where that must not enter.
enum CardFieldName {
    /// Judges a value by the names it stands under.
    static func finding(name: String, parent: String?, value: Json) -> CardFinding.Kind? {
        guard let text = value.scalarText else { return nil }
        let digits = text.utf8.count(where: isDigit)
        guard digits > 0 else { return nil }
        if let kind = finding(name: name, text: text.utf8[...], digits: digits) { return kind }
        guard IssuerRanges.lengths.contains(digits), !text.contains(where: masks.contains) else { return nil }
        let name = normalized(name)
        let isNumber = numbers.contains(name) || (name == "number" && parent.map(normalized)?.hasSuffix("card") == true)
        return isNumber ? .cardNumber : nil
    }

    /// Judges a text that is no document: a name, a few marks, a value, as in `cvv=123` or `<cvv>123<`.
    static func finding(text: String) -> CardFinding.Kind? {
        let words = text.utf8.split { !isDigit($0) && !isLetter($0) && $0 != UInt8(ascii: "_") }
        for (name, value) in zip(words, words.dropFirst()) where value.allSatisfy(isDigit) {
            guard text.utf8.distance(from: name.endIndex, to: value.startIndex) <= 8 else { continue }
            let kind = finding(name: String(Substring(name)), text: value, digits: value.count)
            if let kind { return kind }
        }
        return nil
    }

    private static func finding(name: String, text: Substring.UTF8View, digits: Int) -> CardFinding.Kind? {
        let first = (name.utf8.first ?? 0) | 0x20
        if first == UInt8(ascii: "t"), tracks.contains(normalized(name)) { return .track }
        guard (3...12).contains(digits), digits == text.count else { return nil }
        let name = normalized(name)
        if digits <= 4, securityCodes.contains(where: name.hasSuffix) { return .securityCode }
        return digits >= 4 && pins.contains(name) ? .pin : nil
    }

    private static let securityCodes = [
        "cvv", "cvc", "cvv2", "cvc2", "cvn", "csc", "cvvcode", "cvccode", "securitycode",
    ]
    private static let pins: Set<String> = ["pin", "cardpin", "pinblock"]
    private static let tracks: Set<String> = ["track1", "track2", "track3", "track1data", "track2data", "trackdata"]
    private static let numbers: Set<String> = [
        "pan", "cardpan", "cardnumber", "ccnumber", "cardno", "primaryaccountnumber", "creditcardnumber", "dpan",
        "fpan",
    ]
    private static let masks: Set<Character> = ["*", "X", "x", "•", "#"]

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Lower-case letters and digits only.
    private static func normalized(_ name: String) -> String {
        let kept = name.utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            default: nil
            }
        }
        return String(decoding: kept, as: UTF8.self)
    }
}
