import EventSourcing
package import Kernel

/// A payment: the fold of its stream.
///
/// `decide` reads it, `evolve` alone writes it.
package struct Payment: Aggregate, Hashable {
    package let id: PaymentId
    /// Events folded so far; equals the stream's version.
    package private(set) var version: Int32 = 0
    /// The version at which evidence last changed something; a proposal made before is stale.
    package private(set) var evidenceVersion: Int32 = 0
    package private(set) var terms: PaymentTerms?
    package private(set) var account: AccountFacts?
    package private(set) var attempt: Attempt?
    /// Attempts before the current one: each had ended, on proof, before the next one began.
    package private(set) var pastAttempts: [PastAttempt] = []
    /// How the accounts of the attempts were chosen, where rules chose them.
    package private(set) var routes: [RouteDecision] = []
    /// The order that the provider opened for the attempt, where it opens one before the payer comes.
    package private(set) var order: ProviderOrder?
    /// In the order in which they entered the stream.
    package private(set) var operations: [Operation] = []
    package private(set) var queries: [Dispatch] = []
    /// The running totals that the provider told.
    package private(set) var totals: [Totals.Key: Totals] = [:]
    /// The versions at which provider operations were seen first: they existed then, whatever any clock says.
    package private(set) var firstSeen: [String: Int32] = [:]
    package private(set) var handovers: [DispatchLicense] = []
    package private(set) var cancelRequestedBy: String?
    package private(set) var expiryReached = false
    /// Of the hold, written off because its lifetime ended unobserved; later evidence makes it count for less.
    package private(set) var expiredHold: Int64 = 0
    package private(set) var flags = PaymentFlags()
    package private(set) var instruments: [InstrumentId] = []
    package private(set) var methodAtProvider: String?
    /// The scheme of the card that the current attempt is paid with, where the provider says it.
    package private(set) var cardScheme: String?
    /// The series of debits that it registered, as the provider keeps it.
    package private(set) var series: SeriesFact?
    /// The provider's own debits of that series by its names, each with its last outcome.
    package private(set) var seriesDebits: [String: SeriesDebit.Outcome] = [:]
    /// Those whose operation was told as well: they are payments of their own.
    package private(set) var adoptedDebits: Set<String> = []
    /// Receipts of the provider for its operations, by its ids.
    package private(set) var receipts: [String: Receipt] = [:]
    /// The same as an app claims to have been told.
    package private(set) var claimedReceipts: [String: Receipt] = [:]
    /// Credentials that were reported as given up.
    package private(set) var reportedInstruments: Set<InstrumentId> = []
    /// What each attempt's provider keeps, and what it took of the payer beside the amount.
    package private(set) var fees: [Int: Money] = [:]
    package private(set) var commissions: [Int: Money] = [:]
    /// Of these, what was told without its attempt though there were several: it may be an earlier one's.
    package private(set) var unplacedSums: Set<Money> = []
    package private(set) var unrecognised: Set<String> = []
    /// Requests to the provider beside moving money.
    package private(set) var auxiliaryRequests: [AuxiliaryRequest] = []
    package private(set) var disputes: [DisputeId: Dispute] = [:]
    /// Findings of persons beside the log, in its order.
    package private(set) var addedEvidence: [AddedEvidence] = []
    package private(set) var proposals: [Uuid: Resolution] = [:]
    /// The version at which each proposal was recorded.
    package private(set) var proposedAt: [Uuid: Int32] = [:]
    package private(set) var approved: Set<Uuid> = []
    /// The newest recovery epoch that reached the payment.
    package private(set) var recovery: Recovery?
    /// Queries since something last called for one; drives the back-off.
    package private(set) var polls = 0
    package private(set) var lastActivityAt: Timestamp = .epoch

    package init(id: PaymentId) { self.id = id }

    /// Applies one event; never fails and never decides.
    package mutating func evolve(_ event: PaymentEvent) {
        version += 1
        apply(event)
        if !totals.isEmpty { share() }
        for index in operations.indices where operations[index].isClosed { operations[index].dropRows() }
    }

    /// Shares the provider's totals out anew; what stood for a part that others explain now is gone.
    private mutating func share() {
        let shares = shares()
        for index in operations.indices { operations[index].share = shares[operations[index].id] }
        operations.removeAll { $0.isRemainder && $0.share ?? 0 == 0 }
    }

    /// The attempt whose provider keeps a sum.
    private mutating func placed(_ amount: Money, _ number: Int?) -> Int {
        if number == nil, !pastAttempts.isEmpty { unplacedSums.insert(amount) }
        return number ?? attemptNumber
    }

    private mutating func apply(_ event: PaymentEvent) {
        switch event {
        case .created(let terms, let account):
            self.terms = terms
            self.account = account
        case .routed(let decision): route(decision)
        case .attemptOpened(let number, let reference, let deadline):
            attempt = Attempt(number: number, reference: reference, deadline: deadline)
        case .dispatchLicensed(let license): licensed(license)
        case .dispatchObserved(let effect, let ordinal, let outcome, let at):
            observed(effect, ordinal, outcome, at)
        case .dispatchRevoked(let effect, let ordinal, _): update(effect, ordinal) { $0.revoked = true }
        case .operationRequested(let request): enter(request, .commanded)
        case .operationAdopted(let request):
            enter(request, .provider)
            evidenceVersion = version
        case .operationReported(let id, let sighted, let at): report(id, sighted, at)
        case .operationEnded(let id, let ending):
            change(id) { $0.ending = ending }
            evidenceVersion = version
        case .totalReported(let told, let at): note(told, at)
        case .attemptReported(let fact, let at): noteAttempt(fact, at)
        case .orderOpened(let order):
            self.order = order
            evidenceVersion = version
        case .attemptClosed(let ending, let closer): closeAttempt(ending, closer)
        case .cancelRequested(let actor): cancelRequestedBy = actor
        case .expiryReached: expiryReached = true
        case .holdExpired(let amount, _): expiredHold = expiredHold.addingClamped(max(0, amount.minor))
        case .claimRecorded(_, let code, let concern, _): claim(code, concern)
        case .contradictionFound(let contradiction): flag { $0.add(contradiction) }
        case .lateSuccess(let operation): flag { $0.addLate(operation) }
        case .overReturned(let amount): flag { $0.addExcess(amount.minor) }
        case .instrumentSaved(let id, let fact): save(id, fact)
        case .instrumentReported(let id, _): reportedInstruments.insert(id)
        case .receiptReported(let receipt, let isClaimed): keep(receipt, isClaimed)
        case .methodReported(let method, let scheme): (methodAtProvider, cardScheme) = (method, scheme)
        case .seriesReported(let series): self.series = series
        case .seriesDebitReported(let debit, _):
            seriesDebits[debit.payment] = debit.outcome
            if debit.operation != nil { adoptedDebits.insert(debit.payment) }
        case .feeReported(let amount, let number): fees[placed(amount, number)] = amount
        case .commissionReported(let amount, let number): commissions[placed(amount, number)] = amount
        case .unrecognisedReported(let what, let value):
            unrecognised.insert("\(what)=\(value)")
            evidenceVersion = version
        case .auxiliaryRequested(let request): auxiliaryRequests.append(AuxiliaryRequest(request: request))
        case .disputeRecorded(let dispute):
            disputes[dispute.id] = dispute
            evidenceVersion = version
        case .evidenceAdded(let added):
            addedEvidence.append(added)
            evidenceVersion = version
        case .resolutionProposed(let resolution):
            proposals[resolution.id] = resolution
            proposedAt[resolution.id] = version
        case .resolutionApproved(let proposal, _): approve(proposal)
        case .recoveryBegan(let epoch): recover(epoch)
        }
    }

    private mutating func flag(_ body: (inout PaymentFlags) -> Void) {
        body(&flags)
        evidenceVersion = version
    }

    private mutating func claim(_ code: String, _ concern: ClaimConcern?) {
        polls = 0
        if let concern { flags.add(ReportedConcern(concern, code: code)) }
    }

    /// Begins questions anew and makes stale what persons saw: what is known may be older than what happened.
    private mutating func recover(_ epoch: RecoveryEpoch) {
        recovery = Recovery(epoch: epoch, version: version)
        polls = 0
        evidenceVersion = version
    }

    private mutating func approve(_ proposal: Uuid) {
        approved.insert(proposal)
        guard case .acknowledged? = proposals[proposal]?.verdict else { return }
        flags.settle(openContradictions + openGaps, lateSuccesses, overReturned, openDebits)
    }

    /// Another account takes over from an attempt that can no longer charge.
    private mutating func route(_ decision: RouteDecision) {
        routes.append(decision)
        guard case .fallback = decision.cause, let next = decision.chosen, let attempt, let account else { return }
        pastAttempts.append(
            PastAttempt(
                attempt: attempt,
                account: account,
                order: order,
                handovers: handovers,
                methodAtProvider: methodAtProvider,
                cardScheme: cardScheme
            )
        )
        self.account = next
        self.attempt = nil
        order = nil
        handovers = []
        methodAtProvider = nil
        cardScheme = nil
        polls = 0
        evidenceVersion = version
    }

    /// A card that is kept is the one that pays, where no other attempt may have been paid with it.
    private mutating func save(_ instrument: InstrumentId, _ fact: InstrumentFact) {
        if !instruments.contains(instrument) { instruments.append(instrument) }
        if cardScheme == nil, pastAttempts.isEmpty { cardScheme = CardScheme.word(fact.scheme) }
    }

    private mutating func keep(_ receipt: Receipt, _ isClaimed: Bool) {
        if isClaimed {
            claimedReceipts[receipt.providerId] = receipt.joined(claimedReceipts[receipt.providerId])
        } else {
            receipts[receipt.providerId] = receipt.joined(receipts[receipt.providerId])
        }
    }

    private mutating func closeAttempt(_ ending: AttemptEnding, _ closer: AttemptCloser) {
        let isPaid = initial?.state == .succeeded
        attempt?.end(ending, isPaid: isPaid)
        switch closer {
        case .provider: break
        case .absence, .operatorDecision: attempt?.closedByUs = true
        }
        evidenceVersion = version
    }

    private mutating func licensed(_ license: DispatchLicense) {
        lastActivityAt = max(lastActivityAt, license.licensedAt)
        switch license.purpose {
        case .handover: handovers.append(license)
        case .query:
            queries.append(Dispatch(license: license, version: version))
            polls += 1
        case .auxiliary:
            guard let index = auxiliaryRequests.firstIndex(where: { $0.request.id == license.effect }) else {
                return assertionFailure("an auxiliary request is there before its licence")
            }
            auxiliaryRequests[index].dispatch = Dispatch(license: license)
        case .operation:
            guard let operation = license.operation else {
                return assertionFailure("the licence of an operation names it")
            }
            let dispatch = Dispatch(license: license, version: version)
            change(operation) { $0.dispatches.append(dispatch) }
            polls = 0
            evidenceVersion = version
        }
    }

    private mutating func observed(
        _ effect: EffectId,
        _ ordinal: Int32,
        _ outcome: DispatchOutcome,
        _ at: Timestamp
    ) {
        // A look that brought no answer is no news, nor is one that leaves open what the one before left open.
        let isLook = queries.contains { $0.license.effect == effect && $0.license.ordinal == ordinal }
        let isNews = isLook ? outcome.gap.map { !openGaps.contains($0) } ?? false : true
        let version = version
        update(effect, ordinal) { dispatch in
            dispatch.outcome = outcome
            dispatch.observedAt = at
            dispatch.observedVersion = version
        }
        switch outcome {
        case .unknown, .accepted, .notExecuted, .refused, .duplicate, .notSent: if isNews { evidenceVersion = version }
        case .answered: break  // What a query found is said by the events after it.
        }
    }

    private mutating func enter(_ request: OperationRequest, _ origin: OperationOrigin) {
        operations.append(Operation(request, origin, attempt: request.attempt ?? attempt?.number ?? 1))
        lastActivityAt = max(lastActivityAt, request.at)
    }

    /// Merges a transaction; one that was attributed to another operation before moves with all that was seen of it.
    private mutating func report(_ id: OperationId, _ sighted: ProviderOperation, _ at: Timestamp) {
        evidenceVersion = version
        let before = operation(id)?.transactions[sighted.providerId]
        lastActivityAt = max(lastActivityAt, at)
        if firstSeen[sighted.providerId] == nil { firstSeen[sighted.providerId] = version }
        var merged = ProviderTransaction(sighted, at: at)
        let number = operation(id)?.attempt
        for index in operations.indices where operations[index].attempt == number {
            guard let known = operations[index].transactions.removeValue(forKey: sighted.providerId) else { continue }
            merged.merge(known)
        }
        // Another time alone is no news: questions go on to back off.
        if before?.says(asMuchAs: merged) != true { polls = 0 }
        change(id) { $0.transactions[sighted.providerId] = merged }
        operations.removeAll { $0.origin == .provider && $0.transactions.isEmpty && !$0.isRemainder && $0.id != id }
        if let total = sighted.earlierTotal, let number {
            totals[Totals.Key(kind: sighted.kind, attempt: number), default: Totals()].step(total, version, at: at)
        }
    }

    private mutating func note(_ told: ToldTotal, _ at: Timestamp) {
        totals[Totals.Key(kind: told.kind, attempt: told.attempt), default: Totals()].take(told, version, at: at)
        evidenceVersion = version
        polls = 0
        lastActivityAt = max(lastActivityAt, at)
    }

    private mutating func noteAttempt(_ fact: AttemptFact, _ at: Timestamp) {
        switch fact {
        case .notRegistered: if attempt?.notRegisteredAt == nil { attempt?.notRegisteredAt = at }
        case .reading(let reading):
            let joined = reading.joined(attempt?.reading)
            attempt?.reading = joined
            evidenceVersion = version
        case .closed(let ending):
            let isPaid = initial?.state == .succeeded
            attempt?.end(ending, isPaid: isPaid)
            evidenceVersion = version
        }
    }

    private mutating func change(_ id: OperationId, _ body: (inout Operation) -> Void) {
        guard let index = operations.firstIndex(where: { $0.id == id }) else {
            return assertionFailure("an event names an operation of the payment")
        }
        body(&operations[index])
    }

    private mutating func update(_ effect: EffectId, _ ordinal: Int32, _ body: (inout Dispatch) -> Void) {
        func matches(_ dispatch: Dispatch) -> Bool {
            dispatch.license.effect == effect && dispatch.license.ordinal == ordinal
        }
        if let index = queries.lastIndex(where: matches) { return body(&queries[index]) }
        if let index = auxiliaryRequests.firstIndex(where: { $0.dispatch.map(matches) == true }),
            var sent = auxiliaryRequests[index].dispatch
        {
            body(&sent)
            auxiliaryRequests[index].dispatch = sent
            return
        }
        for index in operations.indices {
            guard let place = operations[index].dispatches.firstIndex(where: matches) else { continue }
            return body(&operations[index].dispatches[place])
        }
        assertionFailure("an outcome follows a licence")
    }
}

extension Payment {
    /// The currency of the terms; a payment without an amount takes that of the first money seen.
    package var currency: Currency? {
        if let currency = terms?.amount?.currency { return currency }
        let seen = operations.flatMap(\.transactions.values).filter(\.succeeded).compactMap(
            \.latest.amount.money?.currency
        )
        return seen.min()
    }

    package var isCreated: Bool { terms != nil }

    /// The operation that the current attempt began with.
    package var initial: Operation? { initial(of: attemptNumber) }

    package func operation(_ id: OperationId) -> Operation? { operations.first { $0.id == id } }

    package func dispatch(_ ref: PaymentObservation.DispatchRef) -> Dispatch? {
        func matches(_ dispatch: Dispatch) -> Bool {
            dispatch.license.effect == ref.effect && dispatch.license.ordinal == ref.ordinal
        }
        if let query = queries.last(where: matches) { return query }
        if let auxiliary = auxiliaryRequests.compactMap(\.dispatch).first(where: matches) { return auxiliary }
        return operations.lazy.compactMap { $0.dispatches.first(where: matches) }.first
    }

    /// Effects that may still leave, may be repeated, or are owed an outcome: their rows stay.
    package var liveEffects: Set<EffectId> {
        let open = operations.filter { !$0.isClosed }.flatMap(\.dispatches).filter { !$0.revoked && $0.hasRow }
        let asked = queries + auxiliaryRequests.compactMap(\.dispatch)
        return Set((open + asked.filter(\.isInFlight)).map(\.license.effect)).union(needlessEffects)
    }

    /// Effects whose message has no outcome yet and need not leave, and may be on the wire.
    ///
    /// Those of closed operations, and of beginnings that nobody wants any more; what two persons send again is wanted.
    package var needlessEffects: Set<EffectId> {
        let closed = operations.filter(\.isClosed).flatMap(\.dispatches)
        let begun = isWanted ? [] : operations.filter(\.kind.isInitial).flatMap(\.dispatches)
        let unwanted = begun.filter { $0.license.ground != .operatorOverride }
        return Set((closed + unwanted).filter(\.isInFlight).map(\.license.effect))
    }
}
