package import Kernel

/// Exact rubles: decimal text to kopecks and back, never by way of a binary fraction.
package enum Rubles {
    static let currency = Currency("RUB")

    /// Reads a JSON number or a decimal string.
    package static func kopecks(_ json: Json) throws(MoneyFailure) -> Int64 {
        guard let text = json.scalarText else { throw .malformed }
        let isNumber = if case .number = json { true } else { false }
        return try AmountReader(scale: 2, isSigned: true).units(text, mayHaveExponent: isNumber)
    }

    /// Two digits behind the point, as in `2500.10`.
    package static func text(_ kopecks: Int64) -> String {
        let digits = String(kopecks.magnitude)
        let padded = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
        return (kopecks < 0 ? "-" : "") + padded.dropLast(2) + "." + padded.suffix(2)
    }

    /// A JSON number whose digits are the amount's.
    package static func number(_ kopecks: Int64) -> Json { (try? Json(text: text(kopecks))) ?? .null }

    package static func money(_ kopecks: Int64) -> Money? { currency.map { Money(kopecks, $0) } }
}
