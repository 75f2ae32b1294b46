package import EventSourcing
package import Kernel
package import Payments
import Schedules

/// The licences of one stream and what became of each: events go in once, in their order, and the rules are read off.
///
/// It shares no rule with the aggregate that gives licences. Only whether an operation is closed, and what the account
/// promises, is told by others.
package struct LicenseBook: Sendable {
    /// One licence.
    struct Entry: Sendable {
        let license: DispatchLicense
        /// The rule that makes another licence lawful.
        let repetition: Repetition
        let position: Int64
        let cause: Uuid
        var outcome: DispatchOutcome?
        var observedAt: Timestamp?
        /// The input that told the outcome.
        var observedBy: Uuid?
        var revoked = false
        /// The knowledge of the book when the licence was given.
        let before: Circumstances

        var isOpen: Bool { outcome == nil && !revoked }
    }

    /// A rule that makes another licence of a message lawful.
    enum Repetition: Sendable {
        /// The ground that the licence names: money would move twice.
        case proved
        /// To say it twice does no harm, as with a removal: it is enough that nobody knows whether it was done.
        case harmless
    }

    /// The facts that a ground is judged by.
    struct Circumstances: Sendable {
        /// Earlier licences of the effect, as they stood.
        var earlier: [Entry] = []
        /// When the newest question was licensed that had an answer by then.
        var lastAnsweredQuestion: Timestamp?
        /// When the newest one of them may have left.
        var lastLook: Timestamp?
        /// When the newest recovery epoch began that the stream had met.
        var restoredAt: Timestamp?
        /// Whether the provider had shown something of the operation.
        var wasSighted = false
        var isAttemptClosed = false
        var isOverridden = false
        /// Whether the provider had opened an order, and its attempt was not closed.
        var isOrderOpen = false
    }

    /// An answer to something that was not licensed.
    struct Stray: Sendable {
        let effect: Uuid
        let ordinal: Int32
        let position: Int64
    }

    package let stream: StreamName
    /// In the order of the log.
    private(set) var entries: [Entry] = []
    private(set) var strays: [Stray] = []
    private var transactions: [String: OperationId] = [:]
    /// How the payment's payer pays.
    private(set) var method: PaymentMethod?
    private var isAttemptClosed = false
    private var hasOrder = false
    private(set) var restoredAt: Timestamp?
    private var proposals: [Uuid: OperationId] = [:]
    /// Operations that two persons allowed to be sent once more, by the input of the approval.
    private var overrides: [OperationId: Uuid] = [:]

    package init(_ stream: StreamName) { self.stream = stream }

    /// How many licences there are, handovers not counted: nothing is sent for those.
    package var count: Int { entries.count }

    /// Effects of licences that have no outcome.
    package var openEffects: [Uuid] { entries.filter(\.isOpen).map(\.license.effect.uuid) }

    /// Licences that rest on what their account promises: those that follow another, and any behind a restore.
    package var underTerms: [DispatchLicense] {
        entries.filter { $0.repetition == .proved }.map(\.license).filter { $0.ordinal > 1 || restoredAt != nil }
    }

    /// Takes the stream's next event, whatever its kind; one that can't be read is a failure.
    package mutating func take(_ recorded: RecordedEvent) throws(CodecFailure) {
        let (position, cause) = (recorded.position, recorded.cause)
        switch stream.kind {
        case .payment, .transfer:
            take(try PaymentEvent(recorded), position: position, cause: cause)
        case .chunk:
            switch try ChunkEvent(recorded) {
            case .licensed(let license, _): take(license, position, cause)
            case .observed(let effect, let ordinal, let outcome):
                observe(effect.uuid, ordinal, outcome, nil, position, cause)
            case .begun, .billAnswered, .reported, .actionRequired, .released, .settled: break
            }
        case .billBatch:
            switch try BillBatchEvent(recorded) {
            case .priceLicensed(_, let license): take(license, position, cause)
            case .priceObserved(_, let effect, let outcome):
                let ordinal = entries.last { $0.license.effect == effect }?.license.ordinal ?? 1
                observe(effect.uuid, ordinal, outcome, nil, position, cause)
            case .created, .pageTaken, .submitted, .pagePriced, .priceRefused, .chunkMade, .chunkReported, .paused,
                .continued, .rolledUp:
                break
            }
        case .instrument: take(try InstrumentEvent(recorded), position, cause)
        case .schedule: take(try ScheduleEvent(recorded), position, cause)
        case .bill, .account, .routing, .webhookEndpoint, .merchant, .arrivals, .paymentLink: break
        }
    }

    /// Takes a schedule's next event: messages to the provider that runs it are licensed, too.
    private mutating func take(_ event: ScheduleEvent, _ position: Int64, _ cause: Uuid) {
        switch event {
        case .requestLicensed(let license): take(DispatchLicense(license.message), position, cause, .harmless)
        case .requestObserved(let effect, let ordinal, let outcome, let at):
            observe(effect.uuid, ordinal, outcome.ofDispatch, at, position, cause)
        case .registered, .activated, .registrationUnwanted, .planned, .started, .succeeded, .failed, .retried,
            .stepUpRequested, .gaveUp, .skipped, .paidTwice, .debitUnmatched, .expiryNoticed, .paused, .resumed,
            .changed, .completed, .cancelled, .expired, .requestEnded:
            break
        }
    }

    /// Takes a credential's next event: removals are licensed, too.
    private mutating func take(_ event: InstrumentEvent, _ position: Int64, _ cause: Uuid) {
        switch event {
        case .removalLicensed(let license), .checkLicensed(let license):
            take(DispatchLicense(license), position, cause, .harmless)
        case .checkObserved(let effect, let listing, let at):
            observe(effect.uuid, 1, listing.ofDispatch, at, position, cause)
        case .removalObserved(let effect, let ordinal, let outcome, let at):
            observe(effect.uuid, ordinal, outcome.ofDispatch, at, position, cause)
        case .saved, .removalEnded:
            // The row of a removal that is no longer wanted is gone.
            for index in entries.indices where entries[index].isOpen { entries[index].revoked = true }
        case .used, .charged, .useEnded, .ended, .removed: break
        }
    }

    /// Takes a payment's next event.
    package mutating func take(_ event: PaymentEvent, position: Int64, cause: Uuid) {
        switch event {
        case .dispatchLicensed(let license): take(license, position, cause)
        case .dispatchObserved(let effect, let ordinal, let outcome, let at):
            observe(effect.uuid, ordinal, outcome, at, position, cause)
        case .dispatchRevoked(let effect, let ordinal, _):
            guard let index = entryIndex(effect.uuid, ordinal) else {
                strays.append(Stray(effect: effect.uuid, ordinal: ordinal, position: position))
                return
            }
            entries[index].revoked = true
        case .operationReported(let id, let sighted, _): transactions[sighted.providerId] = id
        case .attemptOpened: (isAttemptClosed, hasOrder) = (false, false)
        case .orderOpened: hasOrder = true
        case .attemptClosed: isAttemptClosed = true
        case .attemptReported(let fact, _): if case .closed = fact { isAttemptClosed = true }
        case .recoveryBegan(let epoch): restoredAt = epoch.begunAt
        case .resolutionProposed(let resolution):
            if case .sendAgain(let operation) = resolution.verdict { proposals[resolution.id] = operation }
        case .resolutionApproved(let proposal, _):
            if let operation = proposals[proposal] { overrides[operation] = cause }
        case .created(let terms, _): method = terms.method
        case .routed, .operationRequested, .operationAdopted, .operationEnded, .totalReported,
            .cancelRequested,
            .expiryReached, .holdExpired, .claimRecorded, .contradictionFound, .lateSuccess,
            .overReturned, .instrumentSaved, .instrumentReported, .receiptReported, .methodReported, .seriesReported,
            .seriesDebitReported, .feeReported, .commissionReported, .unrecognisedReported, .auxiliaryRequested,
            .disputeRecorded, .evidenceAdded:
            break
        }
    }

    private mutating func observe(
        _ effect: Uuid,
        _ ordinal: Int32,
        _ outcome: DispatchOutcome,
        _ at: Timestamp?,
        _ position: Int64,
        _ cause: Uuid
    ) {
        guard let index = entryIndex(effect, ordinal) else {
            strays.append(Stray(effect: effect, ordinal: ordinal, position: position))
            return
        }
        entries[index].outcome = outcome
        entries[index].observedAt = at
        entries[index].observedBy = cause
    }

    private mutating func take(
        _ license: DispatchLicense,
        _ position: Int64,
        _ cause: Uuid,
        _ repetition: Repetition = .proved
    ) {
        guard license.purpose != .handover else { return }
        var before = Circumstances()
        if let operation = license.operation {
            before.earlier = entries.filter { $0.license.operation == operation }
            before.wasSighted = transactions.values.contains(operation)
            before.isOverridden = overrides[operation] == cause
        } else {
            before.earlier = entries.filter { $0.license.effect == license.effect }
        }
        let questions = entries.filter { $0.license.purpose == .query && $0.outcome == .answered }.map(\.license)
        before.lastAnsweredQuestion = questions.map(\.licensedAt).max()
        before.lastLook = questions.map { max($0.licensedAt, $0.notBefore) }.max()
        before.restoredAt = restoredAt
        before.isAttemptClosed = isAttemptClosed
        before.isOrderOpen = hasOrder && !isAttemptClosed
        entries.append(
            Entry(license: license, repetition: repetition, position: position, cause: cause, before: before)
        )
    }

    /// Kinds of streams that license messages.
    package static func covers(_ kind: StreamKind) -> Bool {
        switch kind {
        case .payment, .transfer, .chunk, .billBatch, .instrument, .schedule: true
        case .bill, .account, .routing, .webhookEndpoint, .merchant, .arrivals, .paymentLink: false
        }
    }

    func entryIndex(_ effect: Uuid, _ ordinal: Int32) -> Int? {
        entries.lastIndex { $0.license.effect.uuid == effect && $0.license.ordinal == ordinal }
    }
}

extension DispatchLicense {
    /// The licence of a message that may be repeated, in the words of the others.
    fileprivate init(_ message: MessageLicense) {
        self.init(
            effect: message.effect,
            purpose: .query,
            operation: nil,
            ordinal: message.ordinal,
            ground: .first,
            templateDigest: message.templateDigest,
            account: message.account,
            accountVersion: message.accountVersion,
            adapterVersion: message.adapterVersion,
            licensedAt: message.licensedAt,
            notBefore: message.licensedAt,
            sendBefore: message.sendBefore
        )
    }
}

extension SeriesOutcome {
    /// The outcome of the message; one that was never sent is unknown there, too, and its input tells the difference.
    fileprivate var ofDispatch: DispatchOutcome {
        switch self {
        case .done, .refused: .answered
        case .unknown(let reason): .unknown(reason: reason)
        }
    }
}

extension CredentialListing {
    /// The outcome of the message, as with a series.
    fileprivate var ofDispatch: DispatchOutcome {
        switch self {
        case .listed, .notListed: .answered
        case .unknown(let reason): .unknown(reason: reason)
        }
    }
}

extension RemovalOutcome {
    /// The outcome of the message, as with a series.
    fileprivate var ofDispatch: DispatchOutcome {
        switch self {
        case .removed, .refused: .answered
        case .unknown(let reason): .unknown(reason: reason)
        }
    }
}
