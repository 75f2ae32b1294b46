/// A meaning of a member's name whose value must not enter.
enum CardFieldName {
    /// Judges a value by the names it stands under.
    static func finding(name: String, parent: String?, value: Json) -> CardFinding.Kind? {
        guard let text = value.scalarText else { return nil }
        let digits = text.utf8.count(where: isDigit)
        guard digits > 0 else { return nil }
        if let kind = finding(name: name.utf8, digits: digits, of: text.utf8.count) { return kind }
        guard IssuerRanges.lengths.contains(digits), !text.unicodeScalars.contains(where: masks.contains) else {
            return nil
        }
        let name = name.utf8
        let isNumber =
            numbers.contains { isNamed(name, $0) }
            || isNamed(name, number) && parent.map { ends($0.utf8, in: card) != nil } == true
        return isNumber ? .cardNumber : nil
    }

    /// Judges a text that is no document: a name, a few marks, a value, as in `cvv=123` or `<cvv>123<`.
    static func finding(text: [UInt8]) -> CardFinding.Kind? {
        var (name, start, digits) = (0..<0, 0, 0)
        for index in 0...text.count {
            if index < text.count, isDigit(text[index]) || isLetter(text[index]) || text[index] == UInt8(ascii: "_") {
                if isDigit(text[index]) { digits += 1 }
                continue
            }
            if index > start {
                let isValue = digits == index - start && start - name.upperBound <= widestMarks && !name.isEmpty
                if isValue, let kind = finding(name: text[name], digits: digits, of: digits) { return kind }
                name = start..<index
            }
            (start, digits) = (index + 1, 0)
        }
        return nil
    }

    /// Between a name and its value.
    private static let widestMarks = 8

    private static func finding(name: some BidirectionalCollection<UInt8>, digits: Int, of length: Int)
        -> CardFinding.Kind?
    {
        if tracks.contains(where: { isNamed(name, $0) }) { return .track }
        guard (3...12).contains(digits), digits == length else { return nil }
        if digits <= 4, securityCodes.contains(where: { ends(name, in: $0) != nil }) { return .securityCode }
        return digits >= 4 && pins.contains(where: { isNamed(name, $0) }) ? .pin : nil
    }

    private static let securityCodes = words([
        "cvv", "cvc", "cvv2", "cvc2", "cvn", "csc", "cvvcode", "cvccode", "securitycode",
    ])
    private static let pins = words(["pin", "cardpin", "pinblock"])
    private static let tracks = words(["track1", "track2", "track3", "track1data", "track2data", "trackdata"])
    private static let numbers = words([
        "pan", "cardpan", "cardnumber", "ccnumber", "cardno", "primaryaccountnumber", "creditcardnumber", "dpan",
        "fpan",
    ])
    private static let number = Array("number".utf8)
    private static let card = Array("card".utf8)

    private static func words(_ words: [String]) -> [[UInt8]] { words.map { Array($0.utf8) } }

    private static let masks: Set<Unicode.Scalar> = ["*", "X", "x", "•", "#"]

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Compares letters of either case and digits; other marks of a name don't count.
    private static func isNamed(_ name: some BidirectionalCollection<UInt8>, _ word: [UInt8]) -> Bool {
        guard let rest = ends(name, in: word) else { return false }
        return !name[..<rest].contains { isDigit($0) || isLetter($0) }
    }

    /// Where the word begins that a name ends in; `nil` where it ends otherwise.
    private static func ends<Name: BidirectionalCollection<UInt8>>(_ name: Name, in word: [UInt8]) -> Name.Index? {
        var index = name.endIndex
        for letter in word.reversed() {
            var byte: UInt8
            repeat {
                guard index > name.startIndex else { return nil }
                index = name.index(before: index)
                byte = name[index]
            } while !isDigit(byte) && !isLetter(byte)
            guard isDigit(byte) ? byte == letter : byte | 0x20 == letter else { return nil }
        }
        return index
    }
}
