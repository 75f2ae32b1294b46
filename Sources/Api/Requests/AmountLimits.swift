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
    ///
    /// `member` names what holds the document, where that is not the whole of what was sent.
    func check(_ document: Json, of member: String? = nil) throws(Problem) {
        guard let inside = excess(in: document, isSum: member == Self.sum) else { return }
        let found = member.map { inside.within($0) } ?? inside
        throw Problem(
            .amountOverflow,
            "At most \(found.limit) minor units of \(found.currency.code).",
            path: JsonPath(steps: found.steps.reversed()).description
        )
    }

    /// An amount that is too large, and the steps of its path, innermost first.
    private struct Excess {
        var steps: [String]
        let limit: Int64
        let currency: Currency

        /// The same in something that holds it.
        func within(_ step: String) -> Excess {
            var outer = self
            outer.steps.append(step)
            return outer
        }
    }

    private func excess(in document: Json, isSum: Bool) -> Excess? {
        if let items = document.items {
            for (index, item) in items.enumerated() {
                if let found = excess(in: item, isSum: false) { return found.within(String(index)) }
            }
            return nil
        }
        guard let members = document.members else { return nil }
        if case .number(let number)? = members["value"],
            let currency = members["currency"]?.text.flatMap({ Currency($0) })
        {
            let limit = isSum ? Self.ceiling : limit(of: currency)
            // A fraction is refused for what it is, and so is what fits no number.
            if let minor = number.integer, minor > limit {
                return Excess(steps: ["value"], limit: limit, currency: currency)
            }
        }
        for (name, value) in members.members {
            if let found = excess(in: value, isSum: name == Self.sum) { return found.within(name) }
        }
        return nil
    }
}
