package import Kernel

/// A payment: the fold of its stream.
///
/// `decide` reads it, `evolve` alone writes it.
package struct Payment: Hashable, Sendable {
    package let id: PaymentId
    /// Events folded so far; equals the stream's version.
    package private(set) var version: Int32 = 0
    /// The version at which evidence last changed something; a proposal made before is stale.
    package private(set) var evidenceVersion: Int32 = 0
    package private(set) var terms: PaymentTerms?
    package private(set) var account: AccountFacts?
    package private(set) var attempt: Attempt?
    /// In the order in which they entered the stream.
    package private(set) var operations: [Operation] = []
    package private(set) var queries: [Dispatch] = []
    package private(set) var handovers: [DispatchLicense] = []
    package private(set) var cancelRequestedBy: String?
    package private(set) var expiryReached = false
    package private(set) var expiredHold: Int64 = 0
    package private(set) var contradictions: Set<ContradictionKind> = []
    package private(set) var lateSuccesses: Set<OperationId> = []
    package private(set) var overReturned: Int64 = 0
    /// Open questions that two persons have dealt with.
    package private(set) var acknowledged = false
    package private(set) var instruments: [InstrumentId] = []
    package private(set) var methodAtProvider: String?
    package private(set) var fee: Money?
    package private(set) var commission: Money?
    package private(set) var unrecognised: Set<String> = []
    package private(set) var disputes: [DisputeId: Dispute] = [:]
    package private(set) var proposals: [Uuid: Resolution] = [:]
    package private(set) var approved: Set<Uuid> = []
    /// Queries since something last called for one; drives the back-off.
    package private(set) var polls = 0
    package private(set) var lastActivityAt: Timestamp = .epoch

    package init(id: PaymentId) { self.id = id }

    package static func fold(_ id: PaymentId, _ events: some Sequence<PaymentEvent>) -> Payment {
        var payment = Payment(id: id)
        for event in events { payment.evolve(event) }
        return payment
    }

    /// Applies one event; never fails and never decides.
    package mutating func evolve(_ event: PaymentEvent) {
        version += 1
        switch event {
        case .created(let terms, let account):
            self.terms = terms
            self.account = account
        case .attemptOpened(let number, let reference, let deadline):
            attempt = Attempt(number: number, reference: reference, deadline: deadline)
        case .dispatchLicensed(let license): licensed(license)
        case .dispatchObserved(let effect, let ordinal, let outcome, let at):
            update(effect, ordinal) { dispatch in
                dispatch.outcome = outcome
                dispatch.observedAt = at
            }
        case .dispatchRevoked(let effect, let ordinal, _): update(effect, ordinal) { $0.revoked = true }
        case .operationRequested(let request): enter(request, .commanded)
        case .operationAdopted(let request):
            enter(request, .provider)
            evidenceVersion = version
        case .operationReported(let id, let sighted): report(id, sighted)
        case .operationEnded(let id, let ending): change(id) { $0.ending = ending }
        case .attemptReported(let fact, let at): noteAttempt(fact, at)
        case .attemptClosed(let ending, let closer):
            attempt?.endings.insert(ending)
            if closer != .operatorDecision { evidenceVersion = version }
        case .cancelRequested(let actor): cancelRequestedBy = actor
        case .expiryReached: expiryReached = true
        case .holdExpired(let amount, _): expiredHold = expiredHold.addingClamped(amount.minor)
        case .claimRecorded: polls = 0
        case .contradictionFound, .lateSuccess, .overReturned: flag(event)
        case .instrumentSaved(let id, _): if !instruments.contains(id) { instruments.append(id) }
        case .methodReported(let method): methodAtProvider = method
        case .feeReported(let amount): fee = amount
        case .commissionReported(let amount): commission = amount
        case .unrecognisedReported(let what, let value): unrecognised.insert("\(what)=\(value)")
        case .disputeRecorded(let dispute):
            disputes[dispute.id] = dispute
            evidenceVersion = version
        case .resolutionProposed(let resolution): proposals[resolution.id] = resolution
        case .resolutionApproved(let proposal, _):
            approved.insert(proposal)
            if case .acknowledged? = proposals[proposal]?.verdict { acknowledged = true }
        }
    }

    private mutating func licensed(_ license: DispatchLicense) {
        lastActivityAt = max(lastActivityAt, license.licensedAt)
        switch license.purpose {
        case .handover: handovers.append(license)
        case .query:
            queries.append(Dispatch(license: license))
            polls += 1
        case .operation:
            guard let operation = license.operation else { return }
            change(operation) { $0.dispatches.append(Dispatch(license: license)) }
            polls = 0
        }
    }

    private mutating func enter(_ request: OperationRequest, _ origin: OperationOrigin) {
        operations.append(
            Operation(
                id: request.id,
                kind: request.kind,
                origin: origin,
                requested: request.amount,
                target: request.target,
                reference: request.reference,
                requestedAt: request.at,
                actor: request.actor,
                reason: request.reason
            )
        )
        lastActivityAt = max(lastActivityAt, request.at)
    }

    private mutating func report(_ id: OperationId, _ sighted: ProviderOperation) {
        evidenceVersion = version
        polls = 0
        change(id) { operation in
            if operation.sightings[sighted.providerId] == nil {
                operation.sightings[sighted.providerId] = Sighting(sighted)
            } else {
                operation.sightings[sighted.providerId]?.merge(sighted)
            }
        }
        if sighted.outcome.isSuccess { acknowledged = false }
    }

    private mutating func noteAttempt(_ fact: AttemptFact, _ at: Timestamp) {
        switch fact {
        case .notRegistered: attempt?.notRegisteredAt = at
        case .reading(let reading):
            attempt?.reading = reading
            evidenceVersion = version
        case .closed(let ending):
            attempt?.endings.insert(ending)
            evidenceVersion = version
        }
    }

    private mutating func flag(_ event: PaymentEvent) {
        acknowledged = false
        evidenceVersion = version
        if case .contradictionFound(let kind, _) = event { contradictions.insert(kind) }
        if case .lateSuccess(let operation) = event { lateSuccesses.insert(operation) }
        if case .overReturned(let amount) = event { overReturned = max(overReturned, amount.minor) }
    }

    private mutating func change(_ id: OperationId, _ body: (inout Operation) -> Void) {
        guard let index = operations.firstIndex(where: { $0.id == id }) else { return }
        body(&operations[index])
    }

    private mutating func update(_ effect: EffectId, _ ordinal: Int32, _ body: (inout Dispatch) -> Void) {
        func matches(_ dispatch: Dispatch) -> Bool {
            dispatch.license.effect == effect && dispatch.license.ordinal == ordinal
        }
        if let index = queries.firstIndex(where: matches) { return body(&queries[index]) }
        for index in operations.indices {
            guard let place = operations[index].dispatches.firstIndex(where: matches) else { continue }
            return body(&operations[index].dispatches[place])
        }
    }
}

/// One try of a payment at one provider account.
package struct Attempt: Hashable, Sendable {
    package let number: Int
    /// Our reference of the payment at the provider.
    package let reference: String
    /// When the provider's link dies.
    package let deadline: Timestamp
    package var endings: Set<AttemptEnding> = []
    package var reading: AttemptReading?
    /// When the provider last said that it does not know the reference.
    package var notRegisteredAt: Timestamp?

    package var isOpen: Bool { endings.isEmpty }
}

extension Payment {
    package var currency: Currency? { terms?.amount?.currency }
    package var isCreated: Bool { terms != nil }

    /// The operation that the payment began with.
    package var initial: Operation? { operations.first { $0.kind.isInitial && $0.origin == .commanded } }

    package func operation(_ id: OperationId) -> Operation? { operations.first { $0.id == id } }

    /// New licences wait for an operator: two claims can't both be true.
    package var isFrozen: Bool { !contradictions.isEmpty && !acknowledged }

    /// Effects that may still leave or be repeated: their rows stay.
    package var liveEffects: Set<EffectId> {
        let open = operations.filter { !$0.isClosed }.flatMap(\.dispatches).filter { !$0.revoked }
        return Set((open + queries.filter(\.isInFlight)).map(\.license.effect))
    }
}
