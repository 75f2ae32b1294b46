package import EventSourcing
package import Kernel
package import Payments
package import Schedules

/// What one event told of a try, an attempt, an operation or an occurrence: a row of finance's ground beside the movements, written once and never changed.
///
/// Rates are made of them: who came to the provider, what the bank asked, what was approved and refused, what fell due and what of it was collected.
package struct FinanceFact: Hashable, Sendable {
    /// What was told; stored.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A provider operation that an attempt began with was seen first.
        case tried
        /// Its payer was shown 3-D Secure.
        case challenged
        /// It was authorised or captured; or the attempt was booked as that without one.
        case approved
        case refused
        /// An attempt ended without money.
        case ended
        /// The payment's first money was captured.
        case paid
        /// Nobody knows whether an operation happened · it is known.
        case uncertain, certain
        /// A provider answered a message of ours, whatever it said.
        case answered
        /// A schedule was activated · is over.
        case began, over
        /// An occurrence's first try was begun.
        case due
        /// Of an occurrence: a try failed · it was paid · it was given up · it is not charged.
        case declined, collected, lost, skipped
    }

    package let event: RecordedEvent
    /// Its place among the facts of that event.
    package fileprivate(set) var number: Int16 = 0
    package let kind: Kind
    /// The provider's name of a try, our operation, what a message was about, the ordinal of an occurrence, or how an attempt or a
    /// schedule ended.
    package let part: String?
    /// Of a payment.
    package fileprivate(set) var attempt: Int?
    package fileprivate(set) var declineClass: String?
    package fileprivate(set) var declineCode: String?
    /// Whether it is the attempt's first of the kind, or the occurrence's; of an attempt's end, whether it came to the provider.
    package fileprivate(set) var isFirst = true
    /// Whether it is the payment's first of the kind.
    package fileprivate(set) var isPaymentsFirst = false
    /// Whether the attempt was told as ended before, or the occurrence declined.
    package fileprivate(set) var isLate = false
    /// How many: occurrences that were skipped.
    package fileprivate(set) var items: Int32 = 1
    /// Microseconds since the payment's first operation was asked for; of an answer, since its message was licensed to leave.
    package fileprivate(set) var delay: Int64?
    package fileprivate(set) var amount: Money?
    package fileprivate(set) var account: AccountFacts
    package fileprivate(set) var method: String?
    package fileprivate(set) var schedule: Uuid?

    fileprivate init(_ kind: Kind, _ part: String?, _ event: RecordedEvent, _ account: AccountFacts) {
        self.kind = kind
        self.part = part
        self.event = event
        self.account = account
    }
}

// MARK: - Payments

extension FinanceFact {
    /// Whether a history holds a lost answer, so that anything may clear it up.
    static func holdsUncertainty(_ history: History) -> Bool {
        let observed = PaymentEventName.dispatchObserved.rawValue
        return history.events.contains { $0.type == observed && $0.data.holds(unknown) }
    }

    private static let unknown = Array(#""is":"unknown""#.utf8)

    /// The facts of a payment's or transfer's event.
    package static func all(_ event: RecordedEvent, from before: Payment, to after: Payment) -> [FinanceFact] {
        guard let terms = after.terms else { return [] }
        var found: [FinanceFact] = []
        for operation in after.operations {
            let was = before.operation(operation.id)
            if operation.kind.isInitial { found += tries(operation, was, event, before, after) }
            found += certainty(operation, was, event, after)
        }
        found += ends(event, before, after)
        if before.amounts.captured == 0, after.amounts.captured > 0, let account = after.account {
            found.append(FinanceFact(.paid, nil, event, account))
        }
        if let answer = answer(event, after) { found.append(answer) }
        let begun = after.operations.first?.requestedAt
        for index in found.indices {
            found[index].number = Int16(clamping: index)
            if found[index].kind != .answered {
                found[index].delay = begun.map { max(0, event.recordedAt.microseconds - $0.microseconds) }
            }
            found[index].amount = found[index].amount ?? terms.amount
            let method = found[index].attempt.map { after.methodAtProvider(of: $0) } ?? after.methodAtProvider
            found[index].method = method ?? terms.method.rawValue
            found[index].schedule = terms.occurrence?.schedule
        }
        return found
    }

    /// What is new of the operation that an attempt began with: one that takes money, for a check moves none.
    private static func tries(
        _ operation: Operation,
        _ was: Operation?,
        _ event: RecordedEvent,
        _ before: Payment,
        _ after: Payment
    ) -> [FinanceFact] {
        let number = operation.attempt
        guard operation.kind.movesMoney, operation.id == after.initial(of: number)?.id,
            let account = after.account(of: number)
        else { return [] }
        let initials = before.operations.filter { $0.kind.isInitial }
        var found: [FinanceFact] = []
        func add(_ kind: Kind, _ part: String, _ decline: Decline? = nil) {
            var fact = FinanceFact(kind, part, event, account)
            fact.attempt = number
            fact.declineClass = decline?.reason.rawValue
            fact.declineCode = decline?.code
            let isKnown = found.contains { $0.kind == kind }
            switch kind {
            case .tried:
                fact.isFirst = !isKnown && was?.transactions.isEmpty != false
                fact.isPaymentsFirst = !isKnown && initials.allSatisfy(\.transactions.isEmpty)
            case .approved:
                fact.isFirst = !isKnown && was?.isApproved != true
                fact.isPaymentsFirst = !isKnown && !initials.contains(where: \.isApproved)
                fact.isLate = before.attempt(number).map { $0.closedByUs || $0.wasToldAsEnded } ?? false
            default: break
            }
            found.append(fact)
        }
        for seen in operation.orderedTransactions {
            let known = was?.transactions[seen.providerId]
            if known == nil { add(.tried, seen.providerId) }
            if seen.isChallenge, known?.isChallenge != true { add(.challenged, seen.providerId) }
            if seen.succeeded, known?.succeeded != true { add(.approved, seen.providerId) }
            if let decline = seen.decline, known?.decline == nil { add(.refused, seen.providerId, decline) }
        }
        if operation.isApproved, was?.isApproved != true, !found.contains(where: { $0.kind == .approved }) {
            add(.approved, "\(operation.id)")
        }
        if operation.transactions.isEmpty, case .failed(let decline) = operation.state, was?.isFailed != true {
            add(.tried, "\(operation.id)")
            add(.refused, "\(operation.id)", decline)
        }
        return found
    }

    /// A message that the provider answered, and how long that took.
    private static func answer(_ event: RecordedEvent, _ after: Payment) -> FinanceFact? {
        guard event.type == PaymentEventName.dispatchObserved.rawValue,
            case .dispatchObserved(let effect, let ordinal, let outcome, let at)? = try? PaymentEvent(event),
            outcome.isAnswer,
            let license = after.dispatch(PaymentObservation.DispatchRef(effect: effect, ordinal: ordinal))?.license
        else { return nil }
        let attempt = license.operation.flatMap { after.operation($0)?.attempt }
        guard let account = attempt.flatMap({ after.account(of: $0) }) ?? after.account else { return nil }
        var fact = FinanceFact(.answered, license.purpose.word, event, account)
        fact.attempt = attempt
        fact.delay = max(0, at.microseconds - max(license.licensedAt, license.notBefore).microseconds)
        return fact
    }

    private static func certainty(_ operation: Operation, _ was: Operation?, _ event: RecordedEvent, _ after: Payment)
        -> [FinanceFact]
    {
        let (isNow, wasBefore) = (operation.state == .indeterminate, was?.state == .indeterminate)
        guard isNow != wasBefore, let account = after.account(of: operation.attempt) else { return [] }
        var fact = FinanceFact(isNow ? .uncertain : .certain, "\(operation.id)", event, account)
        fact.attempt = operation.attempt
        fact.amount = operation.requested
        return [fact]
    }

    /// Attempts that ended without money; what was told as ended once stays so.
    private static func ends(_ event: RecordedEvent, _ before: Payment, _ after: Payment) -> [FinanceFact] {
        after.attemptNumbers.compactMap { number in
            guard let ending = after.attempt(number)?.strongestEnding, before.attempt(number)?.isOpen != false,
                let initial = after.initial(of: number), initial.kind.movesMoney, !initial.isApproved,
                let account = after.account(of: number)
            else { return nil }
            var fact = FinanceFact(.ended, ending.word, event, account)
            fact.attempt = number
            fact.isFirst = !initial.transactions.isEmpty || initial.isFailed
            if case .declined(let decline) = ending {
                fact.declineClass = decline.reason.rawValue
                fact.declineCode = decline.code
            }
            return fact
        }
    }
}

extension Operation {
    fileprivate var isApproved: Bool { state == .succeeded }
    fileprivate var isFailed: Bool { if case .failed = state { true } else { false } }
}

extension ProviderTransaction {
    fileprivate var isChallenge: Bool { leading.outcome == .waiting(.threeDSecure) }
    fileprivate var decline: Decline? {
        guard !succeeded, case .declined(let decline) = leading.outcome else { return nil }
        return decline
    }
}

extension DispatchOutcome {
    /// Whether the provider said something that could be read.
    fileprivate var isAnswer: Bool {
        switch self {
        case .accepted, .notExecuted, .refused, .duplicate, .answered: true
        case .notSent, .unknown: false
        }
    }
}

extension DispatchPurpose {
    fileprivate var word: String {
        switch self {
        case .handover: "handover"
        case .query: "query"
        case .operation(let kind): kind.rawValue
        case .auxiliary(let kind): kind.rawValue
        }
    }
}

extension AttemptEnding {
    fileprivate var word: String {
        switch self {
        case .declined: "declined"
        case .expired: "expired"
        case .cancelled: "cancelled"
        }
    }
}

// MARK: - Schedules

extension FinanceFact {
    /// The facts of a schedule's event; `account` is what is known of the account that charges.
    package static func all(
        _ event: RecordedEvent,
        from before: Schedule,
        to after: Schedule,
        account: AccountFacts?
    ) -> [FinanceFact] {
        guard let account, let terms = after.terms, let told = try? ScheduleEvent(event) else { return [] }
        var fact: FinanceFact
        switch told {
        case .activated: fact = FinanceFact(.began, nil, event, account)
        // What never began ends nobody's.
        case .completed, .cancelled, .expired:
            guard before.activation != nil, let ending = told.ending else { return [] }
            fact = FinanceFact(.over, ending, event, account)
        case .started(let one):
            guard one.attempt == 1 else { return [] }
            fact = FinanceFact(.due, "\(one.ordinal)", event, account)
            fact.amount = one.amount
        case .succeeded(let ordinal, _, let amount, _):
            fact = FinanceFact(.collected, "\(ordinal)", event, account)
            fact.amount = amount
            fact.isLate = (before.open[ordinal]?.attempts ?? 1) > 1
        case .failed(let ordinal, _, let failure, _):
            fact = FinanceFact(.declined, "\(ordinal)", event, account)
            fact.isFirst = (before.open[ordinal]?.attempts ?? 1) <= 1
            (fact.declineClass, fact.declineCode) = (failure.kind.rawValue, failure.code)
        case .gaveUp(let ordinal, _, _, _): fact = FinanceFact(.lost, "\(ordinal)", event, account)
        case .skipped(let first, let last, let reason, _):
            fact = FinanceFact(.skipped, reason.rawValue, event, account)
            fact.items = Int32(clamping: max(first, last) - first + 1)
        case .registered, .registrationUnwanted, .planned, .retried, .stepUpRequested, .paidTwice, .debitUnmatched,
            .expiryNoticed, .paused, .resumed, .changed, .requestLicensed, .requestObserved, .requestEnded:
            return []
        }
        fact.amount = fact.amount ?? terms.amount
        fact.schedule = event.stream.id
        return [fact]
    }
}

extension ScheduleEvent {
    /// How a schedule ended by it.
    fileprivate var ending: String? {
        switch self {
        case .completed: "completed"
        case .cancelled(let reason, let actor, _):
            actor == "policy" && reason == "dunning" ? "givenUp" : "cancelled"
        case .expired: "expired"
        default: nil
        }
    }
}

extension PaymentEventName {
    /// Whether an event of the name may tell a fact, a lost answer apart.
    var mayTellFacts: Bool {
        mayMoveMoney || self == .operationAdopted || self == .attemptReported || self == .attemptClosed
            || self == .dispatchObserved
    }
}
