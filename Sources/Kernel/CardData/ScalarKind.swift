/// The meaning of a scalar where somebody writes a number: a digit, something between digits, nothing, or another thing.
struct ScalarKind: Equatable {
    private let code: UInt8

    static let separator = ScalarKind(code: 10)
    static let invisible = ScalarKind(code: 11)
    static let other = ScalarKind(code: 12)

    /// The value of a decimal digit of any script.
    var digit: UInt8? { code < 10 ? code : nil }

    /// Reads the scalar at an index of UTF-8; what is no UTF-8 is one byte of something else.
    static func read(_ bytes: [UInt8], at index: Int, _ known: [ScalarKind] = known) -> (kind: ScalarKind, width: Int) {
        let first = bytes[index]
        guard first >= 0x80 else { return (known[Int(first)], 1) }
        let width = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard first >= 0xC2, first < 0xF5, index + width <= bytes.count else { return (.other, 1) }
        var value = UInt32(first) & (0x7F >> UInt32(width))
        for offset in 1..<width {
            let next = bytes[index + offset]
            guard next & 0xC0 == 0x80 else { return (.other, 1) }
            value = value << 6 | UInt32(next & 0x3F)
        }
        if value < UInt32(known.count) { return (known[Int(value)], width) }
        return (Unicode.Scalar(value).map(of) ?? .other, width)
    }

    /// Kinds of the first two planes, where all digits are; looking them up in Unicode's tables is slow.
    static let known: [ScalarKind] = (0..<UInt32(0x20000)).map { Unicode.Scalar($0).map(of) ?? other }

    private static func of(_ scalar: Unicode.Scalar) -> ScalarKind {
        if scalar.isASCII { return of(ascii: UInt8(truncatingIfNeeded: scalar.value)) }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .decimalNumber, .otherNumber, .otherLetter, .letterNumber:
            guard properties.numericType == .decimal || properties.numericType == .digit,
                let value = properties.numericValue, value >= 0, value <= 9
            else { return .other }
            return ScalarKind(code: UInt8(value))
        case .format, .nonspacingMark, .enclosingMark: return .invisible
        case .dashPunctuation: return .separator
        default: return properties.isWhitespace || separators.contains(scalar) ? .separator : .other
        }
    }

    /// Middle dots and slashes of other alphabets, the minus sign, and full stops of full width.
    private static let separators = Set(
        "\u{00B7}\u{2022}\u{2044}\u{2212}\u{2215}\u{FF0E}\u{FF0F}\u{30FB}".unicodeScalars
    )

    private static func of(ascii byte: UInt8) -> ScalarKind {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): ScalarKind(code: byte - UInt8(ascii: "0"))
        case 0x20, 0x09, 0x0A, 0x0D: .separator
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: ","),
            UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: "\\"), UInt8(ascii: "+"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "~"):
            .separator
        default: .other
        }
    }
}
