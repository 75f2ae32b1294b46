/// An amount of one currency in minor units (cents, kopiykas, fils); never a fraction, never a floating-point number.
package struct Money: Hashable, Sendable, CustomStringConvertible {
    package let minor: Int64
    package let currency: Currency

    package init(_ minor: Int64, _ currency: Currency) {
        self.minor = minor
        self.currency = currency
    }

    package static func zero(_ currency: Currency) -> Money { Money(0, currency) }

    /// Adds; throws where the currencies differ or the sum leaves `Int64`.
    package func adding(_ other: Money) throws(MoneyFailure) -> Money {
        try checked(other) { $0.addingReportingOverflow($1) }
    }

    /// Subtracts; the result may be negative.
    package func subtracting(_ other: Money) throws(MoneyFailure) -> Money {
        try checked(other) { $0.subtractingReportingOverflow($1) }
    }

    private func checked(
        _ other: Money,
        _ combine: (Int64, Int64) -> (partialValue: Int64, overflow: Bool)
    ) throws(MoneyFailure) -> Money {
        guard currency == other.currency else { throw .mixedCurrencies }
        let (value, overflow) = combine(minor, other.minor)
        guard !overflow else { throw .overflow }
        return Money(value, currency)
    }

    /// Exact decimal text in major units with the currency's digits, as in `19.99`, `100` (JPY) or `1.500` (KWD).
    package var decimal: String {
        let digits = String(minor.magnitude)
        let sign = minor < 0 ? "-" : ""
        guard currency.exponent > 0 else { return sign + digits }
        let padded = String(repeating: "0", count: max(0, currency.exponent + 1 - digits.count)) + digits
        let split = padded.index(padded.endIndex, offsetBy: -currency.exponent)
        return sign + padded[..<split] + "." + padded[split...]
    }

    /// Parses exact decimal text in major units.
    ///
    /// Refuses signs but one minus, exponents, separators, and digits beyond the minor unit unless they are zero.
    package init(decimal text: String, _ currency: Currency) throws(MoneyFailure) {
        self.init(try AmountReader.exactUnits(text, scale: currency.exponent), currency)
    }

    /// Parses what a person wrote, in the same form, with no more digits behind the point than the currency has.
    ///
    /// Zeros beyond them are no amount either: with a mark between thousands `1.000` is a thousand.
    package init(written text: String, _ currency: Currency) throws(MoneyFailure) {
        try self.init(decimal: text, currency)
        let digits = text.firstIndex(of: ".").map { text[$0...].dropFirst().count } ?? 0
        guard digits <= currency.exponent else { throw .wrongScale }
    }

    package var description: String { "\(decimal) \(currency.code)" }
}

/// Why an amount could not be read or combined.
package enum MoneyFailure: Error, Hashable, Sendable {
    case overflow, mixedCurrencies, malformed, wrongScale
}
