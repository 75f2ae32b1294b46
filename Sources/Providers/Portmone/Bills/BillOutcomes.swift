package import Kernel
package import Payments

/// Reports about many bills, held against what was asked for: an outcome for each requested bill, whatever the answer's
/// order, gaps, repetitions and foreign ids.
package struct BillOutcomes: Hashable, Sendable {
    /// In the order of the request; a bill that nobody speaks of is unknown.
    package let bills: [BillStanding]
    /// Ids that nobody asked for, and reports without an id.
    package let foreign: [String]
    /// Bills that the provider did not come to.
    package let unreached: Set<String>
    package let action: BillReading.Action?
    private let reported: Set<String>
    private let currency: Currency?

    package init(_ requested: [BillLine], _ reports: [BillReport], source: BillStanding.Source) {
        let known = Set(requested.map(\.id))
        var best: [String: BillReport] = [:]
        var payments: [String: Set<String>] = [:]
        var foreign: [String] = []
        for report in reports {
            guard let id = report.billId, known.contains(id) else {
                foreign.append(report.billId ?? "")
                continue
            }
            if report.outcome == .paid, let payment = report.payment,
                payments[id, default: []].insert(payment).inserted, let earlier = best[id], earlier.outcome == .paid,
                earlier.payment != nil
            {
                // Two payments of one bill took the sum of both.
                best[id] = earlier.adding(report)
                continue
            }
            // Paid stays paid: a later error about the same bill does not undo it.
            if let earlier = best[id], earlier.outcome.rank >= report.outcome.rank { continue }
            best[id] = report
        }
        self.foreign = foreign
        currency = requested.first?.amount.currency
        reported = Set(best.keys)
        bills = requested.map { line in
            best[line.id].map { Self.standing(line, $0, source) }
                ?? BillStanding(id: line.id, outcome: .unknown, source: source)
        }
        action = Self.action(best, reports)
        unreached = source == .answer ? Self.unreached(requested, reports, action) : []
    }

    private static func standing(_ line: BillLine, _ report: BillReport, _ source: BillStanding.Source)
        -> BillStanding
    {
        var standing = BillStanding(id: line.id, outcome: report.outcome, source: source)
        standing.paid = report.paid
        standing.commission = report.commission
        let isOther = report.amount.map { $0 != line.amount } ?? false
        standing.amountDiffers = report.outcome == .paid && (report.paid != line.amount || isOther)
        standing.authCode = report.authCode
        standing.receiptUrl = report.receiptUrl
        standing.payDate = report.payDate
        standing.errorCode = report.errorCode
        standing.errorText = report.errorText
        standing.payeeName = report.payeeName
        standing.contractNumber = report.contractNumber
        return standing
    }

    private static func action(_ best: [String: BillReport], _ reports: [BillReport]) -> BillReading.Action? {
        guard let report = reports.last(where: { $0.outcome == .requiresAction }), let id = report.billId,
            best[id]?.outcome == .requiresAction
        else { return nil }
        return BillReading.Action(bill: id, handover: report.handover)
    }

    /// The walk through the bills stops at the one whose payer must act: those asked for behind it, and told nothing of,
    /// are untouched.
    ///
    /// Holds only where that report ends the answer; in any other answer a bill without a word is unknown.
    private static func unreached(
        _ requested: [BillLine],
        _ reports: [BillReport],
        _ action: BillReading.Action?
    ) -> Set<String> {
        guard let action, reports.last?.billId == action.bill,
            reports.filter({ $0.outcome == .requiresAction }).count == 1,
            let place = requested.firstIndex(where: { $0.id == action.bill })
        else { return [] }
        let told = Set(reports.compactMap(\.billId))
        return Set(requested[(place + 1)...].map(\.id).filter { !told.contains($0) })
    }

    /// The part that the chunk takes over; it finds the silent ones itself.
    package var reading: BillReading {
        BillReading(
            .reports,
            standings: bills.filter { reported.contains($0.id) },
            unreached: unreached,
            action: action,
            foreign: foreign
        )
    }

    package var tally: BillTally? { currency.map { BillTally(bills, $0) } }
    package var whole: BillWhole { tally?.whole ?? .unresolved }
    package var charged: Money? { tally?.charged }
    package var commission: Money? { tally?.commission }

    /// Bills that may be sent again.
    package var repeatable: [String] { bills.filter(\.outcome.mayBeRepeated).map(\.id) }
}
