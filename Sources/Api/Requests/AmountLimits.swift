import Http
package import Kernel

/// How large an amount may be that a client names: one limit for all currencies, and others for some.
///
/// What is larger is a mistake, and one amount beyond what other programs count with harms everybody's sums.
package struct AmountLimits: Hashable, Sendable {
    /// Minor units.
    package static let standard: Int64 = 1_000_000_000_000
    /// Whole numbers up to here are the same in every JSON reader.
    package static let ceiling: Int64 = (1 << 53) - 1
    /// The member that holds the sum of a batch's amounts; only the ceiling bounds it.
    private static let sum = "total"

    private let general: Int64
    private let byCurrency: [Currency: Int64]

    package init(general: Int64 = AmountLimits.standard, byCurrency: [Currency: Int64] = [:]) {
        self.general = min(general, Self.ceiling)
        self.byCurrency = byCurrency.mapValues { min($0, Self.ceiling) }
    }

    /// Reads `1000000000000,JPY=100000000000000`; `nil` where it is no such list, or beyond the ceiling.
    package init?(_ text: String) {
        var general = Self.standard
        var byCurrency: [Currency: Int64] = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let halves = part.split(separator: "=", omittingEmptySubsequences: false)
            guard let limit = halves.last.flatMap({ Int64($0) }), (1...Self.ceiling).contains(limit) else { return nil }
            switch halves.count {
            case 1: general = limit
            case 2:
                guard let currency = Currency(String(halves[0])) else { return nil }
                byCurrency[currency] = limit
            default: return nil
            }
        }
        self.init(general: general, byCurrency: byCurrency)
    }

    package func limit(of currency: Currency) -> Int64 { byCurrency[currency] ?? general }

    /// Whether an amount is within its currency's limit.
    package func takes(_ amount: Money) -> Bool { amount.minor <= limit(of: amount.currency) }

    /// Refuses the first amount of a document that is too large, wherever it stands.
    func check(_ document: Json, at path: JsonPath = .root) throws(Problem) {
        if let items = document.items {
            for (index, item) in items.enumerated() { try check(item, at: path.appending(String(index))) }
            return
        }
        guard let members = document.members else { return }
        if case .number(let number)? = members["value"],
            let currency = members["currency"]?.text.flatMap({ Currency($0) })
        {
            let limit = path.steps.last == Self.sum ? Self.ceiling : limit(of: currency)
            // A fraction is refused for what it is, and so is what fits no number.
            if let minor = number.integer, minor > limit {
                throw Problem(
                    .amountOverflow,
                    "At most \(limit) minor units of \(currency.code).",
                    path: path.appending("value").description
                )
            }
        }
        for (name, value) in members.members { try check(value, at: path.appending(name)) }
    }
}
