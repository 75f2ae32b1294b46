import Crypto
package import Kernel

/// A decision in the making: every event is folded at once, so that later rules see what earlier ones decided.
struct PaymentDraft {
    private(set) var payment: Payment
    private(set) var decision = PaymentDecision()
    let context: PaymentContext
    /// The attempt that the input is about: the one at the account in question.
    let focus: Int
    /// Whether the provider's operations have been matched with ours in this decision.
    var hasMatched = false

    init(_ payment: Payment, _ context: PaymentContext) {
        self.payment = payment
        self.context = context
        focus = payment.attemptNumber(at: context.account.id)
    }

    mutating func add(_ event: PaymentEvent) {
        decision.events.append(event)
        payment.evolve(event)
    }

    mutating func ask(_ request: DispatchRequest) { decision.dispatches.append(request) }

    /// A commanded operation and the message that asks for it; `rule` names a policy that asks instead of the input.
    mutating func request(
        _ kind: OperationKind,
        _ amount: Money,
        target: OperationId? = nil,
        isFull: Bool,
        reason: String?,
        details: Json? = nil,
        rule: String? = nil,
        attempt: Int? = nil
    ) {
        let number = attempt ?? target.flatMap { payment.operation($0)?.attempt } ?? payment.attemptNumber
        let id = payment.operationId(for: context.input, kind, rule: rule)
        let request = OperationRequest(
            id: id,
            kind: kind,
            amount: amount,
            target: target,
            reference: Payment.reference(id.uuid),
            actor: rule == nil ? context.actor.id : Payment.ruleActor,
            reason: reason,
            at: context.now,
            details: details,
            attempt: payment.isPast(number) ? number : nil,
            byOperator: rule == nil && context.actor.isOperator && payment.isFrozen
        )
        add(.operationRequested(request))
        let planned = payment.planned(.operation(kind), request, isFull: isFull, attempt: number)
        let can = context.capabilities
        let mustLook = can.needsBaseline(kind, by: payment.terms?.method) || payment.mustLook(can)
        guard mustLook else { return begin(id, planned, .first, attempt: number) }
        decision.rehearsals.append(planned)
        queryAfresh()
    }

    /// An auxiliary request and its one message.
    mutating func auxiliary(_ kind: AuxiliaryKind, _ details: Json?) {
        let id = EffectId(.version5(namespace: payment.id.uuid, name: "errand:\(context.input)"))
        add(
            .auxiliaryRequested(
                AuxiliaryRequestFact(id: id, kind: kind, actor: context.actor.id, details: details, at: context.now)
            )
        )
        ask(
            DispatchRequest(
                effect: id,
                planned: payment.planned(
                    .auxiliary(kind),
                    nil,
                    isFull: true,
                    attempt: payment.attemptNumber,
                    details: details
                ),
                attempt: payment.attemptNumber,
                operation: nil,
                ordinal: 1,
                ground: .first,
                notBefore: context.now,
                sendBefore: context.now.adding(Payment.sendWindow)
            )
        )
    }

    /// The first message of an operation.
    private mutating func begin(
        _ id: OperationId,
        _ planned: PlannedDispatch,
        _ ground: DispatchLicense.Ground,
        attempt number: Int
    ) {
        ask(
            DispatchRequest(
                effect: Payment.effect(of: id),
                planned: planned,
                attempt: number,
                operation: id,
                ordinal: 1,
                ground: ground,
                notBefore: context.now,
                sendBefore: context.now.adding(Payment.sendWindow)
            )
        )
    }

    /// Begins an operation that waited for a look at what the provider shows, if it still may be sent then.
    mutating func begin(_ operation: Operation) {
        guard payment.mayRepeat(operation) else {
            let reason = payment.fits(operation) ? "contradicting evidence" : "nothing is left to take from"
            return add(.operationEnded(operation.id, .notSent(reason: "baseline: \(reason)")))
        }
        begin(
            operation.id,
            payment.planned(
                .operation(operation.kind),
                operation.request,
                isFull: payment.isWhole(operation),
                attempt: operation.attempt
            ),
            .baseline,
            attempt: operation.attempt
        )
    }

    /// Another licence for the same message under a ground that holds.
    ///
    /// It may be sent until `end` at the latest, where one is given.
    mutating func resend(
        _ operation: Operation,
        _ ground: DispatchLicense.Ground,
        after delay: Duration,
        until end: Timestamp = .distantFuture
    ) {
        guard let last = operation.dispatches.last?.license else { return }
        let notBefore = context.now.adding(delay)
        ask(
            DispatchRequest(
                effect: last.effect,
                planned: payment.planned(
                    last.purpose,
                    operation.request,
                    isFull: payment.isWhole(operation),
                    attempt: operation.attempt
                ),
                attempt: operation.attempt,
                operation: operation.id,
                ordinal: last.ordinal + 1,
                ground: ground,
                notBefore: notBefore,
                sendBefore: min(notBefore.adding(Payment.sendWindow), end)
            )
        )
    }

    /// Asks the provider how things stand, unless a question is under way or the last one is too fresh.
    ///
    /// Evidence about an earlier attempt asks about that attempt, whatever else asks about the current one.
    mutating func query() {
        guard openQuestions.isEmpty, context.now >= earliestQuery else { return }
        query(notBefore: context.now)
    }

    /// Asks because somebody wants to know: as soon as the account allows it, unless a question is under way.
    mutating func queryWhenAllowed() {
        guard openQuestions.isEmpty else { return }
        query(notBefore: max(context.now, earliestQuery))
    }

    /// Asks because of news that a question under way may not have seen, and the first look at it may not show.
    mutating func queryAboutNews() { queryAfresh(.news) }

    /// Asks what a question under way may not have seen: as soon as the account allows it, and not never.
    mutating func queryAfresh(_ ground: DispatchLicense.Ground = .first) {
        let open = openQuestions
        // A question that is still to leave asks the same; for news only one does that is asked because of news.
        let isWaiting = open.contains { waiting in
            context.now < waiting.license.notBefore && (ground != .news || waiting.license.ground == .news)
        }
        guard open.count < Self.questionsUnderWay, !isWaiting else { return }
        query(notBefore: max(context.now, earliestQuery, conclusiveFrom), ground)
    }

    /// An earlier question would be asked in vain: what was sent before a restore may not show yet.
    private var conclusiveFrom: Timestamp { payment.conclusiveFrom(context.capabilities) ?? context.now }

    private static let questionsUnderWay = 4

    /// Questions whose answer is still to be expected.
    private var openQuestions: [Dispatch] {
        payment.queries.filter { $0.isInFlight && !$0.isStuck(at: context.now) }
    }

    private var earliestQuery: Timestamp {
        payment.lastQueryAt.map { $0.adding(context.capabilities.polling.atLeast) } ?? context.now
    }

    private mutating func query(notBefore: Timestamp, _ ground: DispatchLicense.Ground = .first) {
        let alreadyAsked = decision.dispatches.contains { $0.planned.purpose == .query }
        guard !alreadyAsked, payment.attempt != nil else { return }
        let effect = EffectId(
            .version5(namespace: payment.id.uuid, name: "query:\(payment.queries.count + 1)")
        )
        ask(
            DispatchRequest(
                effect: effect,
                planned: payment.planned(.query, nil, isFull: false, attempt: focus),
                attempt: focus,
                operation: nil,
                ordinal: 1,
                ground: ground,
                notBefore: notBefore,
                sendBefore: notBefore.adding(Payment.sendWindow)
            )
        )
    }
}

extension Payment {
    /// A licence that was not used within so long is not used any more.
    package static let sendWindow = Duration.seconds(600)
    /// So many licences one operation gets without a person.
    package static let licensesPerOperation: Int32 = 5
    /// Who asks where a rule does and no command.
    package static let ruleActor = "policy"
    /// So far apart a provider's clock and ours may be.
    package static let clockSkew = Duration.seconds(120)

    /// Our name for something at a provider: 26 characters of `[a-z2-7]`.
    package static func reference(_ id: Uuid) -> String { Base32.encode(id.bytes) }

    func operationId(for input: Uuid, _ kind: OperationKind, rule: String? = nil) -> OperationId {
        let suffix = rule.map { ":\($0)" } ?? ""
        return OperationId(.version5(namespace: id.uuid, name: "operation:\(kind.rawValue):\(input)\(suffix)"))
    }

    /// Two providers may give the same id to two things.
    func adoptedId(_ providerId: String, attempt number: Int) -> OperationId {
        let prefix = number == 1 ? "" : "\(number):"
        return OperationId(.version5(namespace: id.uuid, name: "adopted:\(prefix)\(providerId)"))
    }

    static func effect(of operation: OperationId) -> EffectId {
        EffectId(.version5(namespace: operation.uuid, name: "effect"))
    }

    /// The same card saved by two payers is two instruments.
    func instrumentId(_ fingerprint: String, _ account: AccountFacts) -> InstrumentId {
        SavedInstrument.id(fingerprint, customer: terms?.customer, account: account.id)
    }

    func planned(
        _ purpose: DispatchPurpose,
        _ operation: OperationRequest?,
        isFull: Bool,
        attempt number: Int,
        details: Json? = nil,
        completion: Json? = nil
    ) -> PlannedDispatch {
        PlannedDispatch(
            purpose: purpose,
            paymentReference: attempt(number)?.reference ?? "",
            operationReference: operation?.reference,
            amount: operation?.amount ?? (purpose == .handover ? terms?.amount : nil),
            isFull: isFull,
            deadline: attempt(number)?.deadline ?? terms?.expiresAt ?? .epoch,
            reason: operation?.reason,
            methodAtProvider: methodAtProvider(of: number),
            order: order(of: number),
            details: operation?.details ?? details,
            earlier: earlier(than: operation, attempt: number),
            initialAtProvider: initial(of: number)?.nameAtProvider,
            completion: completion
        )
    }

    /// Requests that were made before and stand, as the positions that went back already.
    private func earlier(than request: OperationRequest?, attempt number: Int) -> [EarlierOperation] {
        guard let request else { return [] }
        return operations.compactMap { operation in
            guard operation.attempt == number, operation.origin == .commanded, !operation.kind.isInitial,
                operation.id != request.id
            else {
                return nil
            }
            switch operation.state {
            case .failed, .notExecuted: return nil
            case .requested, .pending, .indeterminate, .succeeded: break
            }
            return EarlierOperation(kind: operation.kind, amount: operation.requested, details: operation.details)
        }
    }

    /// Whether an operation asks for all that it can be about.
    fileprivate func isWhole(_ operation: Operation) -> Bool {
        guard let currency, let wanted = operation.requested?.minor else { return true }
        switch operation.kind {
        case .sale, .authorize, .verify, .tokenize, .transfer: return true
        case .capture, .void: return wanted == sums(of: operation.attempt).held
        case .refund, .refundReversal:
            return operation.target.flatMap { self.operation($0) }.map { $0.collected(in: currency) == wanted } ?? false
        }
    }
}

extension Payment {
    /// The handover as it was planned when it was licensed, or as the provider's order allows it; planning it again gives
    /// the same template.
    package var plannedHandover: PlannedDispatch {
        PlannedDispatch(
            purpose: .handover,
            paymentReference: attempt?.reference ?? "",
            operationReference: nil,
            amount: terms?.amount,
            isFull: true,
            deadline: attempt?.deadline ?? terms?.expiresAt ?? .epoch,
            reason: nil,
            methodAtProvider: nil,
            order: order,
            initialAtProvider: initial?.nameAtProvider
        )
    }
}

extension Operation {
    /// The request that made it, once more.
    fileprivate var request: OperationRequest {
        OperationRequest(
            id: id,
            kind: kind,
            amount: requested,
            target: target,
            reference: reference,
            actor: actor,
            reason: reason,
            at: requestedAt,
            details: details,
            byOperator: byOperator
        )
    }

    /// Whether nothing was licensed for it yet: it waits for a look at what the provider shows.
    package var awaitsBaseline: Bool {
        origin == .commanded && !kind.isInitial && !isClosed && dispatches.isEmpty && transactions.isEmpty
    }
}

extension Capabilities {
    func needsBaseline(_ kind: OperationKind, by method: PaymentMethod?) -> Bool {
        switch recovery[kind, by: method] {
        case .baselineDiff: true
        case .sameKey, .query, .none: false
        }
    }
}
