package import EventSourcing
package import Kernel
package import Payments

/// One change of money that evidence proved: a row of finance's ground, written once and never changed.
///
/// What takes something back is a movement of its own, below zero. It is a function of the stream up to its event, and of the
/// account's facts.
package struct Movement: Hashable, Sendable {
    /// Raised when the same log gives other movements; a migration empties the table then, for what stands in it is never changed.
    package static let version: Int32 = 5
    /// So long before a payment began here may the provider's own debit have been made that it stands for.
    package static let reach = Duration.seconds(30 * 86_400)
    /// So far may a provider's clock be ahead.
    package static let ahead = Duration.seconds(86_400)

    /// The event that it comes from; its input is the evidence.
    package let event: RecordedEvent
    /// Its place among the movements of that event.
    package let number: Int16
    package let flow: MoneyFlow
    /// Minor units; below zero where evidence takes something back.
    package let amount: Money
    /// When it happened by the provider's word, where that can be: within `Movement.reach` before the payment's first operation and
    /// `Movement.ahead` behind its evidence; else when its evidence was recorded.
    package let effectiveAt: Timestamp
    /// The merchant's own number.
    package let reference: String?
    package let customer: String?
    package let account: AccountFacts
    /// How the money was asked for, as in `hosted`; at the provider, where it says so.
    package let method: String?
    /// The scheme of the card, as in `visa`, where the provider says it.
    package let scheme: String?
    package let country: String?
    package let schedule: Uuid?
    package let batch: Uuid?

    package var kind: MovementKind { flow.key.kind }
    /// The provider's name of what moved it.
    package var providerReference: String? {
        flow.key.providerId ?? (event.stream.kind == .chunk ? flow.key.part : nil)
    }

    /// Which events of a payment may hold movements or facts, so that they are worth folding.
    ///
    /// Nearly every event tells neither, and is known by its name; but anything may share a provider's total out anew, or clear up what a
    /// lost answer left open.
    package static func isTold(in history: History) -> @Sendable (RecordedEvent) -> Bool {
        let total = PaymentEventName.totalReported.rawValue
        let isOpen = history.events.contains { $0.type == total } || FinanceFact.holdsUncertainty(history)
        return { isOpen || PaymentEventName(rawValue: $0.type)?.mayTellFacts ?? true }
    }

    /// The movements of a payment's or transfer's event.
    package static func all(_ event: RecordedEvent, from before: Payment, to after: Payment) -> [Movement] {
        guard event.mayMoveMoney || !after.totals.isEmpty else { return [] }
        guard let currency = after.currency, let terms = after.terms else { return [] }
        let changes = MoneyFlow.changes(from: before.moneyFlows, to: after.moneyFlows)
        return changes.enumerated().compactMap { index, flow -> Movement? in
            let attempt = flow.key.attempt
            guard let account = after.account(of: attempt) else { return nil }
            return Movement(
                event: event,
                number: Int16(clamping: index),
                flow: flow,
                amount: Money(flow.amount, currency),
                effectiveAt: event.effective(flow.statedAt, since: after.operations.first?.requestedAt),
                reference: terms.reference,
                customer: terms.customer,
                account: account,
                method: after.methodAtProvider(of: attempt) ?? terms.method.rawValue,
                scheme: after.cardScheme(of: attempt),
                country: terms.country,
                schedule: terms.occurrence?.schedule,
                batch: nil
            )
        }
    }

    /// The movements of a chunk's event, a bill each.
    package static func all(_ event: RecordedEvent, from before: Chunk, to after: Chunk, account: AccountFacts?)
        -> [Movement]
    {
        guard let head = after.head, let account else { return [] }
        return MoneyFlow.changes(from: before.moneyFlows, to: after.moneyFlows).enumerated().map { index, flow in
            Movement(
                event: event,
                number: Int16(clamping: index),
                flow: flow,
                amount: Money(flow.amount, head.currency),
                effectiveAt: event.recordedAt,
                reference: nil,
                customer: head.customer,
                account: account,
                method: nil,
                scheme: nil,
                country: nil,
                schedule: nil,
                batch: head.batch.uuid
            )
        }
    }
}

extension RecordedEvent {
    fileprivate var mayMoveMoney: Bool { PaymentEventName(rawValue: type)?.mayMoveMoney ?? true }

    /// The provider's time of something that this event proves, where it can be true.
    fileprivate func effective(_ stated: Timestamp?, since begin: Timestamp?) -> Timestamp {
        guard let stated, stated <= recordedAt.adding(Movement.ahead),
            stated >= (begin ?? recordedAt).adding(.zero - Movement.reach)
        else {
            return recordedAt
        }
        return stated
    }
}
