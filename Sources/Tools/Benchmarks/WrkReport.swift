/// What the load generator `wrk` prints at its end, where it is started with `--latency`.
///
/// It corrects its latencies for requests that waiting clients did not send, which our own generator does not.
package struct WrkReport: Hashable, Sendable {
    package let perSecond: Double
    package let p99Milliseconds: Double

    /// Why what it printed is no result.
    package struct Unusable: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    package init(_ text: String) throws(Unusable) {
        let lines: [Substring] = text.split(separator: "\n").map { line in line.drop { $0 == " " } }
        // A daemon that refuses is fast, so that a rate with refusals is no rate.
        for label in ["Non-2xx or 3xx responses:", "Socket errors:"] {
            guard let line = lines.first(where: { $0.hasPrefix(label) }) else { continue }
            throw Unusable(String(line))
        }
        guard let rate = Self.value("Requests/sec:", lines), let perSecond = Double(rate), perSecond > 0,
            let latency = Self.value("99%", lines), let p99 = Self.milliseconds(latency)
        else { throw Unusable("it printed no rate and no p99: \(text)") }
        self.perSecond = perSecond
        p99Milliseconds = p99
    }

    /// The word behind a label.
    private static func value(_ label: String, _ lines: [Substring]) -> Substring? {
        lines.first { $0.hasPrefix(label) }?.split(separator: " ").last
    }

    /// A time as it writes them: `850.00us`, `12.34ms`, `1.02s`, `1.50m`.
    private static func milliseconds(_ text: Substring) -> Double? {
        let digits = text.prefix { $0.isNumber || $0 == "." }
        guard let number = Double(digits), let unit = units[String(text.dropFirst(digits.count))] else { return nil }
        return number * unit
    }

    /// Milliseconds of each unit.
    private static let units = ["us": 0.001, "ms": 1, "s": 1000, "m": 60_000]
}
