package import Foundation

/// How values stand on the wire: JSON with times of RFC 3339 in UTC.
package enum Wire {
    package static func decode<Value: Decodable>(_: Value.Type, from data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try String(from: decoder)
            guard let date = date(text) else {
                let context = DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "no time: \(text)"
                )
                throw DecodingError.dataCorrupted(context)
            }
            return date
        }
        return try decoder.decode(Value.self, from: data)
    }

    package static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in try text(date).encode(to: encoder) }
        return try encoder.encode(value)
    }

    /// Reads `2026-01-31T12:00:00Z`, with a fraction of any length or none.
    static func date(_ text: String) -> Date? {
        guard text.hasSuffix("Z") else { return nil }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = try? Date("\(parts[0])Z", strategy: .iso8601) else { return nil }
        guard parts.count == 2 else { return whole }
        guard !parts[1].isEmpty, parts[1].allSatisfy(\.isNumber), let fraction = Double("0.\(parts[1])") else {
            return nil
        }
        return whole.addingTimeInterval(fraction)
    }

    /// Whole seconds where it has no fraction, else microseconds.
    static func text(_ date: Date) -> String {
        let micros = Int64((date.timeIntervalSince1970 * 1_000_000).rounded())
        let (seconds, rest) = (micros.quotientAndRemainder(dividingBy: 1_000_000))
        let below = rest < 0 ? rest + 1_000_000 : rest
        let whole = Date(timeIntervalSince1970: Double(rest < 0 ? seconds - 1 : seconds)).formatted(.iso8601)
        guard below > 0 else { return whole }
        let digits = String(below)
        return whole.dropLast() + "." + String(repeating: "0", count: 6 - digits.count) + digits + "Z"
    }
}
