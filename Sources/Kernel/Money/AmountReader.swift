/// The one reader of amounts that come from outside, for every adapter.
///
/// An amount is exact decimal text: digits, at most one point with digits on both sides, and, in a JSON number alone, an
/// exponent. Digits beyond the currency's minor unit must be zero, with one exception: writers that hold an amount as a
/// binary double print up to 17 significant digits of it, `129.90000000000001` for `129.90`. Such a text is rounded where
/// it is exactly the 17-digit image of the double that is nearest to the rounded amount; any other digit, a sum of doubles
/// among them, is no amount. All of it is reckoned in integers.
package struct AmountReader: Sendable {
    /// Digits behind the point of the result.
    private let scale: Int
    /// Whether a minus may lead.
    private let isSigned: Bool

    package init(scale: Int, isSigned: Bool = false) {
        self.scale = scale
        self.isSigned = isSigned
    }

    /// The amount in units of `scale` digits behind the point.
    package func units(_ text: String, mayHaveExponent: Bool = false) throws(MoneyFailure) -> Int64 {
        let number = try Decimal(text, mayHaveExponent: mayHaveExponent)
        guard isSigned || !number.isNegative else { throw .malformed }
        do throws(MoneyFailure) {
            let units = try number.units(scale)
            // An amount can be turned round: what goes back comes with a minus or without.
            guard units != .min else { throw .overflow }
            return units
        } catch {
            guard error == .wrongScale, let magnitude = number.unitsOfDouble(scale) else { throw error }
            return number.isNegative ? -magnitude : magnitude
        }
    }

    /// The same for text of our own: no images of doubles, and no exponent.
    static func exactUnits(_ text: String, scale: Int) throws(MoneyFailure) -> Int64 {
        try Decimal(text, mayHaveExponent: false).units(scale)
    }

    /// Whether a number's text says more digits than an amount has and is a double's image of one all the same.
    package static func isImageOfDouble(_ text: String) -> Bool {
        guard let number = try? Decimal(text, mayHaveExponent: true) else { return false }
        return scales.contains { (try? number.units($0)) == nil && number.unitsOfDouble($0) != nil }
    }

    /// Digits behind the point that currencies have.
    private static let scales = [2, 3, 4]

    /// Significant digits times a power of ten.
    private struct Decimal {
        let isNegative: Bool
        /// Without zeros in front or behind; empty for zero.
        let digits: [UInt8]
        /// Of the last digit.
        let power: Int

        init(_ text: String, mayHaveExponent: Bool) throws(MoneyFailure) {
            var rest = Array(text.utf8)[...]
            // Longer than any amount, whatever it says.
            guard rest.count <= Limits.characters else { throw .overflow }
            isNegative = rest.first == UInt8(ascii: "-")
            if isNegative { rest.removeFirst() }
            var exponent = 0
            if let mark = rest.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
                guard mayHaveExponent, let read = Int(String(decoding: rest[(mark + 1)...], as: UTF8.self)),
                    abs(read) <= Limits.exponent
                else { throw .malformed }
                exponent = read
                rest = rest[..<mark]
            }
            let parts = rest.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (48...57).contains($0) } })
            else { throw .malformed }
            let fraction = parts.count == 2 ? parts[1].count : 0
            let all = parts.flatMap { $0.map { $0 - 48 } }
            let kept = all.lastIndex { $0 != 0 }.map { all[...$0] } ?? []
            digits = Array(kept.drop { $0 == 0 })
            power = digits.isEmpty ? 0 : exponent - fraction + (all.count - kept.count)
        }

        /// The exact value, where it has no more than `scale` digits behind the point.
        func units(_ scale: Int) throws(MoneyFailure) -> Int64 {
            guard !digits.isEmpty else { return 0 }
            guard power + scale >= 0 else { throw .wrongScale }
            guard digits.count + power + scale <= Limits.digits else { throw .overflow }
            let magnitude = Int128(integer * UInt128.ten(to: power + scale))
            guard let units = Int64(exactly: isNegative ? -magnitude : magnitude) else { throw .overflow }
            return units
        }

        /// The value whose nearest double prints as these digits.
        ///
        /// Fifteen digits survive any double, so the amount that is nearest to the digits is the only one in question.
        func unitsOfDouble(_ scale: Int) -> Int64? {
            let surplus = -(power + scale)
            guard digits.count <= Limits.digitsOfDouble, (1...Limits.digitsOfDouble).contains(surplus) else {
                return nil
            }
            let divisor = UInt128.ten(to: surplus)
            let units = (integer + divisor / 2) / divisor
            guard units > 0, units < UInt128.ten(to: Limits.digitsKept) else { return nil }
            let image = Image(units, scale: scale)
            guard image.power <= power, power - image.power <= Limits.digitsOfDouble,
                image.digits == integer * UInt128.ten(to: power - image.power)
            else { return nil }
            return Int64(exactly: units)
        }

        private var integer: UInt128 { digits.reduce(0) { $0 * 10 + UInt128($1) } }
    }

    /// The 17 significant digits of the double that is nearest to `units / 10^scale`, as `%.17g` writes them.
    private struct Image {
        let digits: UInt128
        /// Of the last digit.
        let power: Int

        init(_ units: UInt128, scale: Int) {
            let divisor = UInt128.ten(to: scale)
            // The double is mantissa / 2^shift with a mantissa of 53 bits; amounts of 15 digits keep `shift` above zero.
            var shift = 0
            while (units << shift) / divisor < 1 << 52 { shift += 1 }
            var mantissa = Self.halfEven(units << shift, divisor)
            if mantissa == 1 << 53 {
                mantissa >>= 1
                shift -= 1
            }
            var power = 0
            while (mantissa * UInt128.ten(to: power)) >> shift < UInt128.ten(to: 16) { power += 1 }
            digits = Self.halfEven(mantissa * UInt128.ten(to: power), 1 << shift)
            self.power = -power
        }

        private static func halfEven(_ dividend: UInt128, _ divisor: UInt128) -> UInt128 {
            let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
            let isMore = rest * 2 > divisor || (rest * 2 == divisor && quotient % 2 == 1)
            return isMore ? quotient + 1 : quotient
        }
    }

    private enum Limits {
        static let characters = 64
        static let exponent = 40
        /// Of an `Int64`.
        static let digits = 19
        /// That a double is written with.
        static let digitsOfDouble = 17
        /// That survive in a double.
        static let digitsKept = 15
    }
}

extension UInt128 {
    fileprivate static func ten(to power: Int) -> UInt128 { (0..<power).reduce(1) { value, _ in value * 10 } }
}

extension EvidenceAmount {
    /// An amount in major units, as `129.90`, from a number or a text.
    package init(decimal json: Json?, _ currency: Currency?, isSigned: Bool = false) {
        self.init(json, currency, scale: currency?.exponent, isSigned: isSigned)
    }

    /// An amount in minor units, as `12990`, from a number or a text.
    ///
    /// A text with a point, as `"100.00"`, may as well mean major units: it can't be read.
    package init(minor json: Json?, _ currency: Currency?) {
        if let text = json?.text, text.utf8.contains(UInt8(ascii: ".")) {
            self = .unreadable(bounded: text)
        } else {
            self.init(json, currency, scale: 0, isSigned: false)
        }
    }

    private init(_ json: Json?, _ currency: Currency?, scale: Int?, isSigned: Bool) {
        guard let json, !json.isNull else {
            self = .absent
            return
        }
        let isNumber = if case .number = json { true } else { false }
        guard let text = json.scalarText, let currency, let scale,
            let units = try? AmountReader(scale: scale, isSigned: isSigned).units(text, mayHaveExponent: isNumber)
        else {
            self = .unreadable(bounded: json.scalarText ?? "(no scalar)")
            return
        }
        self = .stated(Money(units, currency))
    }
}
