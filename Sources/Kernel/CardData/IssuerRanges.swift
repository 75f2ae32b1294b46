/// Which digit strings can be card numbers: known first digits, the lengths that go with them, and the check digit.
package enum IssuerRanges {
    /// Which edition of the table decides; a change adds a version.
    package static let tableVersion = 1

    /// Shortest and longest card number (ISO/IEC 7812).
    static let lengths = 12...19

    private struct Range {
        let scheme: String
        /// First digits, as many as `digits`.
        let first: ClosedRange<Int>
        let digits: Int
        let lengths: Set<Int>

        init(_ scheme: String, _ first: ClosedRange<Int>, _ digits: Int, _ lengths: Set<Int>) {
            self.scheme = scheme
            self.first = first
            self.digits = digits
            self.lengths = lengths
        }
    }

    private static let long: Set<Int> = [16, 17, 18, 19]
    private static let any = Set(lengths)

    private static let ranges: [Range] = [
        Range("Visa", 4...4, 1, [13, 16, 18, 19]),
        Range("Mastercard", 51...55, 2, [16]),
        Range("Mastercard", 2221...2720, 4, [16]),
        Range("American Express", 34...34, 2, [15]),
        Range("American Express", 37...37, 2, [15]),
        Range("JCB", 3528...3589, 4, long),
        Range("RuPay with JCB", 353...353, 3, [16]),
        Range("RuPay with JCB", 356...356, 3, [16]),
        Range("Diners Club", 300...305, 3, [14, 16, 17, 18, 19]),
        Range("Diners Club", 3095...3095, 4, [14, 16, 17, 18, 19]),
        Range("Diners Club", 36...36, 2, [14, 16, 17, 18, 19]),
        Range("Diners Club", 38...39, 2, [14, 16, 17, 18, 19]),
        // Verve, Elo, Discover, UnionPay 62, RuPay 60 and 65, Troy 65 and national schemes lie inside these.
        Range("Maestro", 50...50, 2, any),
        Range("Maestro", 56...69, 2, any),
        Range("UnionPay", 81...81, 2, long),
        Range("RuPay", 82...82, 2, [16]),
        Range("Mir", 2200...2204, 4, long),
        Range("Borica", 2205...2205, 4, [16]),
        Range("UATP", 1...1, 1, [15]),
        Range("GPN", 1946...1946, 4, [16]),
        Range("Troy", 9792...9792, 4, [16]),
        Range("Uzcard", 8600...8600, 4, [16]),
        Range("Humo", 9860...9860, 4, [16]),
        Range("Prostir", 9804...9804, 4, [16]),
        Range("Belkart", 9112...9112, 4, [16]),
        Range("ArCa", 9051...9051, 4, [16]),
        Range("Elcart", 9417...9417, 4, [16]),
    ]

    /// For each four first digits the lengths that go with them, a bit for each: a number is judged in one step.
    private static let lengthsByFirst: [UInt32] = (0..<10_000).map { first in
        ranges.reduce(0) { mask, range in
            let divisor = [1000, 100, 10, 1][range.digits - 1]
            return range.first.contains(first / divisor) ? range.lengths.reduce(mask) { $0 | 1 << UInt32($1) } : mask
        }
    }

    /// Tells whether the digits (0 to 9, not ASCII) can be a card number.
    static func isCardNumber(_ digits: ArraySlice<UInt8>) -> Bool {
        guard lengths.contains(digits.count) else { return false }
        var first = 0
        for index in digits.startIndex..<digits.startIndex + 4 { first = first * 10 + Int(digits[index]) }
        return lengthsByFirst[first] & 1 << UInt32(digits.count) != 0 && hasCheckDigit(digits)
    }

    /// The check of Luhn (ISO/IEC 7812-1, annex B); a string of zeros passes it and has no issuer.
    static func hasCheckDigit(_ digits: ArraySlice<UInt8>) -> Bool {
        var (sum, isDoubled) = (0, false)
        for digit in digits.reversed() {
            let value = isDoubled ? Int(digit) * 2 : Int(digit)
            sum += value > 9 ? value - 9 : value
            isDoubled.toggle()
        }
        return sum % 10 == 0
    }
}
