import Kernel
import Payments
import ProviderKit

/// Reads facts out of an order's state, beside what was seen of it before.
package struct OrderReading {
    /// Our names for what the provider does not name.
    package enum Name {
        /// The order until money is held or it ends.
        package static let order = "order"
        package static let hold = "hold"
        package static let commit = "commit"
        /// The rest that a partial commit left over.
        static let rest = "rest"
        package static let cancel = "cancel"

        /// The answer to a refund: it names what is left of the order.
        static let refundAnswer = "answer to a refund"

        package static func refund(_ id: String) -> String { "refund:\(id)" }
    }

    let info: OrderInfo
    let status: OrderStatus
    let context: InterpretContext
    let settings: DolyameSettings

    private var isSale: Bool { context.terms.mode == .sale }
    private var initial: OperationKind { context.terms.mode.operation }
    private var asked: Int64 { max(0, context.terms.amount?.minor ?? 0) }

    private func known(_ name: String) -> ProviderOperation? {
        context.known.first { $0.providerId == name && $0.outcome == .succeeded }
    }

    private var isHeld: Bool { known(Name.hold) != nil }
    private var isTaken: Bool {
        context.known.contains { ($0.kind == .capture || $0.kind == .sale) && $0.outcome == .succeeded }
    }
    private var isCancelled: Bool { known(Name.cancel) != nil }

    var facts: [Fact] {
        var facts: [Fact] = []
        if let total = info.disputedTotal {
            facts.append(.unrecognised(what: "refund_info.total_refunded_amount", value: Rubles.text(total)))
        }
        switch status {
        case .new, .approved, .waiting: facts += open
        case .committed, .completed, .refunded: facts += captures
        case .rejected: facts += rejected
        case .canceled: facts += cancelled
        }
        return facts
    }

    /// Before a commit; what is older than the known state says that nobody has paid, and no more.
    private var open: [Fact] {
        guard !isTaken, !isHeld || status == .waiting else { return [beginning(.processing)] }
        if let foreign {
            // Nobody is sent to an order that is not the one we asked for; money that is held for it is booked.
            let held = operation(Name.hold, .authorize, .succeeded, info.amount)
            return [foreign] + (status == .waiting && !isSale ? [held] : [])
        }
        var facts: [Fact] = context.terms.method == .sdk ? [] : [order]
        switch status {
        case .new: facts.append(beginning(.waiting(.handover)))
        case .approved: facts += [beginning(.waiting(.handover)), .attempt(.reading(.processing))]
        case .waiting:
            if isCancelled { facts.append(.contradiction(.outcome, detail: "on hold after it was given up")) }
            // An order that the provider commits by itself is on its way; nobody here is asked.
            if isSale {
                facts += [beginning(.processing), .attempt(.reading(.processing))]
            } else {
                facts.append(operation(Name.hold, .authorize, .succeeded, info.amount))
            }
        case .committed, .completed, .rejected, .canceled, .refunded: break
        }
        return facts
    }

    /// The signs that the order is over another amount or other positions than the payment.
    private var foreign: Fact? {
        guard info.amount == asked else {
            return .contradiction(.amount, detail: "the order is over \(Rubles.text(info.amount))")
        }
        guard let told = info.items, let bill = try? Order(context.terms, context.settings).bill() else { return nil }
        let ours = bill.basket.positions.reduce(into: [OrderInfo.Item: Int]()) { counts, position in
            counts[OrderInfo.Item(price: position.price, quantity: position.quantity), default: 0] += 1
        }
        return told == ours ? nil : .contradiction(.identity, detail: "the order has other items")
    }

    private var order: Fact {
        .order(ProviderOrder(id: context.paymentReference, handover: ["link": info.link]))
    }

    /// Committed, here or in the provider's cabinet: the hold, what was taken of it, what was left, what went back.
    private var captures: [Fact] {
        var facts: [Fact] = []
        if isCancelled { facts.append(.contradiction(.outcome, detail: "committed after it was given up")) }
        let captured = captured
        // After a refund the amount may be another one; what was seen before counts.
        let isSettled = isTaken && (info.refunded > 0 || info.totalRefunded ?? 0 > 0 || status == .refunded)
        if isSale {
            if !isSettled { facts.append(operation(Name.commit, .sale, .succeeded, captured)) }
        } else {
            facts.append(operation(Name.hold, .authorize, .succeeded, known(Name.hold)?.amount.money?.minor ?? asked))
            if !isSettled {
                facts.append(operation(Name.commit, .capture, .succeeded, captured))
                if (0..<asked).contains(captured) {
                    facts.append(operation(Name.rest, .void, .succeeded, asked - captured))
                }
            }
        }
        if !(0...asked).contains(captured) {
            facts.append(.contradiction(.amount, detail: "committed \(Rubles.text(captured))"))
        }
        return facts + refunds
    }

    private var captured: Int64 {
        if settings.amountAfterCommit == .ordered, info.amount == asked, let ours = commanded { return ours }
        switch settings.amountAfterRefund {
        case .kept: return info.amount
        case .reduced: return info.amount.addingReportingOverflow(info.refunded).partialValue
        }
    }

    /// The amount that we asked to be committed, where the order may go on saying the ordered one.
    private var commanded: Int64? {
        let captures = context.operations.filter { $0.kind == .capture && $0.requested != nil }
        return captures.last { $0.moved != nil || $0.isAwaited }?.requested?.minor
    }

    /// Accepted refunds: the money is the payer's, settled or not.
    ///
    /// The list is trusted, and its total compared with it.
    private var refunds: [Fact] {
        let listed = info.refunds.filter { $0.amount > 0 || $0.prepaid == 0 }.map { refund in
            Statement.Entry(
                ProviderOperation(
                    providerId: Name.refund(refund.id),
                    kind: .refund,
                    outcome: .succeeded,
                    amount: EvidenceAmount(Rubles.money(refund.amount))
                ),
                isNamed: true
            )
        }
        let total: Statement.Total?
        if !info.refunds.isEmpty {
            total = info.totalRefunded.flatMap(Rubles.money).map { .compares($0) }
        } else if status == .refunded {
            total = Rubles.money(known(Name.commit)?.amount.money?.minor ?? captured).map { .books($0) }
        } else {
            total = info.totalRefunded.flatMap(Rubles.money).map { .books($0) }
        }
        let told = Fact.statement(Statement(.refund, entries: listed, total: total))
        guard info.refunds.isEmpty, info.totalRefunded ?? 0 == 0, status != .refunded else { return [told] }
        return info.hasRefunds ? [told, .complete([.refund])] : [.statement(Statement(.refund, total: .missing))]
    }

    private var rejected: [Fact] {
        guard !isHeld, !isTaken else { return [.contradiction(.outcome, detail: "rejected after money moved")] }
        let decline = Decline(reason: .hard, code: info.word, tableVersion: StatusTable.version)
        return [beginning(.declined(decline)), .attempt(.closed(.declined(decline)))]
    }

    /// The word says neither who gave the order up nor when; what was seen before does.
    private var cancelled: [Fact] {
        if isTaken {
            let taken = context.known.filter { ($0.kind == .capture || $0.kind == .sale) && $0.outcome == .succeeded }
            let sum = taken.reduce(Int64(0)) { $0.addingReportingOverflow($1.amount.money?.minor ?? 0).partialValue }
            guard info.refunded >= sum else {
                return [.contradiction(.outcome, detail: "canceled after a commit")] + refunds
            }
            return refunds
        }
        if let hold = known(Name.hold) {
            return [operation(Name.cancel, .void, .succeeded, hold.amount.money?.minor ?? asked)]
        }
        return [beginning(.expired), .attempt(.closed(context.isCancelRequested ? .cancelled : .expired))]
    }

    private func beginning(_ outcome: ProviderOutcome) -> Fact {
        operation(Name.order, initial, outcome, info.amount)
    }

    private func operation(_ name: String, _ kind: OperationKind, _ outcome: ProviderOutcome, _ kopecks: Int64) -> Fact
    {
        .operation(
            ProviderOperation(
                providerId: name,
                kind: kind,
                outcome: outcome,
                amount: EvidenceAmount(Rubles.money(kopecks))
            )
        )
    }
}
