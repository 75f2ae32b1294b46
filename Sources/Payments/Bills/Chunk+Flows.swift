import Kernel

/// A kind of money that bills move; money that only an app claims is apart from money that a provider confirmed.
package enum BillFlow: String, Hashable, Sendable, CaseIterable {
    case captured, claimed, refunded

    fileprivate init?(_ standing: BillStanding) {
        switch standing.outcome {
        case .paid: self = standing.source == .claim ? .claimed : .captured
        case .refunded: self = .refunded
        case .claimed:
            guard standing.claimed == .paid else { return nil }
            self = .claimed
        case .held, .cancelled, .requiresAction, .failed, .unknown, .refused: return nil
        }
    }
}

/// Bills and their amounts, in minor units of the batch's currency.
package struct BillSum: Hashable, Sendable {
    package private(set) var amount: Int64 = 0
    package private(set) var bills: Int32 = 0

    package init() {}

    fileprivate mutating func add(_ minor: Int64) {
        bills += 1
        let (sum, overflow) = amount.addingReportingOverflow(max(0, minor))
        amount = overflow ? .max : sum
    }
}

extension Chunk {
    /// The sums that its bills have moved so far: turnover is made of the differences.
    package var flows: [BillFlow: BillSum] {
        guard let head else { return [:] }
        var sums: [BillFlow: BillSum] = [:]
        for line in head.lines {
            guard let standing = standings[line.id], let flow = BillFlow(standing) else { continue }
            // What nobody told is not guessed: the tally counts none of it either.
            let amount = standing.paid ?? .zero(head.currency)
            guard amount.currency == head.currency else { continue }
            sums[flow, default: BillSum()].add(amount.minor)
            // What came back was taken first.
            if flow == .refunded { sums[.captured, default: BillSum()].add(amount.minor) }
        }
        return sums
    }
}
