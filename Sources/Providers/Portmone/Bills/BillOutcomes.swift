package import Kernel

/// Reports about many bills, held against what was asked for: an outcome for each requested bill, whatever the answer's
/// order, gaps, repetitions and foreign ids.
package struct BillOutcomes: Hashable, Sendable {
    /// One bill's end.
    package struct Bill: Hashable, Sendable {
        package let id: String
        package let outcome: BillOutcome
        /// The report that decided; `nil` where none came.
        package let report: BillReport?
        /// What was paid is not what was asked for.
        package let amountDiffers: Bool
    }

    /// How the whole stands.
    package enum Whole: String, Hashable, Sendable {
        case completed
        case partiallyCompleted = "partially_completed"
        case failed
        /// At least one bill without a known outcome: reconciled, never sent again by itself.
        case unresolved
    }

    /// In the order of the request.
    package let bills: [Bill]
    /// Ids that nobody asked for, and reports without an id.
    package let foreign: [String]
    /// `nil` where a sum leaves what an amount can hold.
    package let charged: Money?
    package let commission: Money?

    package init(_ requested: [BillOrder], _ reports: [BillReport]) {
        let known = Set(requested.map(\.id))
        var best: [String: BillReport] = [:]
        var foreign: [String] = []
        for report in reports {
            guard let id = report.billId, known.contains(id) else {
                foreign.append(report.billId ?? "")
                continue
            }
            // Paid stays paid: a later error about the same bill does not undo it.
            if let earlier = best[id], earlier.outcome.rank >= report.outcome.rank { continue }
            best[id] = report
        }
        self.foreign = foreign
        var seen: Set<String> = []
        bills = requested.filter { seen.insert($0.id).inserted }.map { order in
            guard let report = best[order.id] else {
                return Bill(id: order.id, outcome: .unknown, report: nil, amountDiffers: false)
            }
            return Bill(
                id: order.id,
                outcome: report.outcome,
                report: report,
                amountDiffers: report.outcome == .paid && report.paid != (order.amount ?? report.amount)
            )
        }
        let paid = bills.filter { $0.outcome == .paid }.compactMap(\.report)
        charged = Self.sum(paid.map(\.paid))
        commission = Self.sum(paid.map(\.commission))
    }

    package var whole: Whole {
        var paid = 0
        for bill in bills {
            switch bill.outcome {
            case .paid: paid += 1
            case .held, .requiresAction, .unknown: return .unresolved
            case .failed, .cancelled, .refunded: break
            }
        }
        if bills.isEmpty { return .unresolved }
        if paid == bills.count { return .completed }
        return paid > 0 ? .partiallyCompleted : .failed
    }

    /// Bills that may be sent again.
    package var repeatable: [String] { bills.filter(\.outcome.mayBeRepeated).map(\.id) }

    private static func sum(_ parts: [Money?]) -> Money? {
        guard let currency = Amounts.hryvnia else { return nil }
        var sum = Money.zero(currency)
        for part in parts {
            guard let part else { continue }
            guard let next = try? sum.adding(part) else { return nil }
            sum = next
        }
        return sum
    }
}
