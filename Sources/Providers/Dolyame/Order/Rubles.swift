import Kernel

/// Exact rubles: decimal text to kopecks and back, never by way of a binary fraction.
enum Rubles {
    enum Failure: Error, Hashable {
        case malformed
        /// More than two significant digits behind the point.
        case precision
        case overflow
    }

    static let currency = Currency("RUB")

    /// Reads a JSON number or a decimal string.
    static func kopecks(_ json: Json) throws(Failure) -> Int64 {
        guard let text = json.scalarText else { throw .malformed }
        return try kopecks(text)
    }

    /// Reads decimal text, with an exponent if need be, as in `10`, `10.10` or `1.01E+1`.
    static func kopecks(_ text: String) throws(Failure) -> Int64 {
        var bytes = Array(text.utf8)
        var exponent = 0
        if let mark = bytes.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            let digits = String(decoding: bytes[(mark + 1)...], as: UTF8.self)
            guard let value = Int(digits), abs(value) <= Limits.exponent else { throw .malformed }
            exponent = value
            bytes = Array(bytes[..<mark])
        }
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { bytes.removeFirst() }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }),
            bytes.count <= Limits.digits
        else { throw .malformed }
        let fraction = parts.count == 2 ? parts[1].count : 0
        let value = try scaled(parts.flatMap { $0.map { Int64($0 - UInt8(ascii: "0")) } }, by: exponent - fraction + 2)
        return isNegative ? -value : value
    }

    /// The digits times a power of ten.
    private static func scaled(_ digits: [Int64], by power: Int) throws(Failure) -> Int64 {
        let kept = power < 0 ? max(0, digits.count + power) : digits.count
        guard digits[kept...].allSatisfy({ $0 == 0 }) else { throw .precision }
        var value: Int64 = 0
        let zeros = repeatElement(Int64(0), count: max(0, power))
        for digit in digits[..<kept] + zeros {
            let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = shifted.addingReportingOverflow(digit)
            guard !overflow, !carry else { throw .overflow }
            value = sum
        }
        return value
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Two digits behind the point, as in `2500.10`.
    static func text(_ kopecks: Int64) -> String {
        let digits = String(kopecks.magnitude)
        let padded = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
        return (kopecks < 0 ? "-" : "") + padded.dropLast(2) + "." + padded.suffix(2)
    }

    /// A JSON number whose digits are the amount's.
    static func number(_ kopecks: Int64) -> Json { (try? Json(text: text(kopecks))) ?? .null }

    static func money(_ kopecks: Int64) -> Money? { currency.map { Money(kopecks, $0) } }

    private enum Limits {
        static let digits = 40
        static let exponent = 30
    }
}
