import Crypto
import EventSourcing
package import Kernel

/// A recurring payment: the fold of its stream.
///
/// `decide` reads it, `evolve` alone writes it.
package struct Schedule: Aggregate, Hashable {
    package let id: ScheduleId
    package private(set) var version: Int32 = 0
    package private(set) var status = ScheduleStatus.unregistered
    /// Who paused or ended it, and why; `nil` while it goes on.
    package private(set) var cause: StatusCause?
    /// As they hold now: activation and changes have their part in them.
    package private(set) var terms: ScheduleTerms?
    /// As they were registered.
    package private(set) var registered: ScheduleTerms?
    package private(set) var activation: Activation?
    /// The ordinal before the first one of the rule that holds; ordinals are never used twice.
    package private(set) var base = 0
    /// The next ordinal that nothing was decided about.
    package private(set) var next = 1
    /// Occurrences that were planned and have no outcome yet.
    package private(set) var open: [Int: OpenOccurrence] = [:]
    /// By which payment an ordinal was paid.
    package private(set) var paid: [Int: PaymentId] = [:]
    /// Every payment that was ever started for this series; the activating one has ordinal 0.
    package private(set) var tries: [PaymentId: TryRecord] = [:]
    /// Minor units that succeeded.
    package private(set) var collected: Int64 = 0
    package private(set) var noticed: Set<InstrumentId> = []
    /// Debits that were alerted already.
    package private(set) var unmatched: Set<PaymentId> = []
    /// Payments that registered the series to no use.
    package private(set) var unwanted: Set<PaymentId> = []
    /// How often something happened that a person must look at.
    package private(set) var anomalies: [Anomaly: Int] = [:]
    /// Requests to the provider that runs the series.
    package private(set) var requests: [EffectId: SeriesRequestState] = [:]
    /// Of those about the schedule's own series.
    package private(set) var newestRequest: EffectId?
    /// The request that the provider that runs the series has still to get: the terms as they hold, or its end.
    package private(set) var untold: SeriesAsk?

    package init(id: ScheduleId) { self.id = id }

    /// Applies one event; never fails and never decides.
    package mutating func evolve(_ event: ScheduleEvent) {
        version += 1
        switch event {
        case .registered(let terms, _, _):
            self.terms = terms
            registered = terms
            status = .registered
        case .activated(let activation, let at):
            self.activation = activation
            activated(activation, at)
            if let instrument = activation.instrument { terms?.instrument = instrument }
            status = .active
        case .registrationUnwanted(let activation, _):
            unwanted.insert(activation.payment)
            count(.registrationUnwanted)
        case .planned(let plan): planned(plan)
        case .started(let one): started(one)
        case .succeeded(let ordinal, let payment, let amount, _): succeeded(ordinal, payment, amount)
        case .failed(let ordinal, let payment, _, _): failed(ordinal, payment)
        case .retried(let retry):
            let isAgain = open[retry.ordinal]?.state == .waiting
            open[retry.ordinal]?.isPostponed = isAgain
            open[retry.ordinal]?.state = .waiting
            open[retry.ordinal]?.startAt = retry.startAt
            if let instrument = retry.instrument { open[retry.ordinal]?.instrument = instrument }
        case .stepUpRequested(let ordinal, let payment, let deadline, _):
            open[ordinal]?.state = .stepUp(payment)
            open[ordinal]?.startAt = deadline
        case .gaveUp(let ordinal, _, _, _): open[ordinal] = nil
        case .skipped(let first, let last, let reason, _):
            if reason == .unobserved { count(.debitMissing, last - first + 1) }
            open = open.filter { !(first...max(first, last)).contains($0.key) }
            next = max(next, last + 1)
        case .paidTwice(_, let payment, let amount, _):
            booked(payment, amount)
            count(.paidTwice)
        case .debitUnmatched(let payment, _, _, _):
            unmatched.insert(payment)
            count(.debitUnmatched)
        case .expiryNoticed(let instrument, _, _, _): noticed.insert(instrument)
        case .paused(let reason, let by, let at):
            status = .paused
            cause = StatusCause(reason: reason, by: by, at: at)
        case .resumed:
            status = .active
            cause = nil
        case .changed(let change, _, _): changed(change)
        case .completed(let at): end(.completed, StatusCause(reason: nil, by: nil, at: at))
        case .cancelled(let reason, let by, let at): cancelled(StatusCause(reason: reason, by: by, at: at))
        case .expired(let expiry, let at): end(.expired, StatusCause(reason: expiry.rawValue, by: nil, at: at))
        case .requestLicensed(let license): licensed(license)
        case .requestObserved(let effect, _, let outcome, _): requests[effect]?.outcome = outcome
        case .requestEnded(let effect, _): requests[effect]?.isEnded = true
        }
    }

    private mutating func licensed(_ license: SeriesLicense) {
        requests[license.message.effect] = SeriesRequestState(license: license, outcome: nil, isEnded: false)
        guard license.series == nil else { return }
        newestRequest = license.message.effect
        if license.message.ordinal == 1 { untold = nil }
    }

    private mutating func cancelled(_ cause: StatusCause) {
        end(.cancelled, cause)
        // What the provider ended itself it need not be told.
        if cause.by == Self.provider { untold = nil } else { owe(.cancel) }
    }

    private mutating func owe(_ ask: SeriesAsk) {
        if terms?.runner == .provider, activation?.series != nil { untold = ask }
    }

    private mutating func count(_ anomaly: Anomaly, _ times: Int = 1) { anomalies[anomaly, default: 0] += times }

    private mutating func planned(_ plan: OccurrencePlan) {
        open[plan.ordinal] = OpenOccurrence(plan: plan, attempts: open[plan.ordinal]?.attempts ?? 0)
        next = max(next, plan.ordinal + 1)
    }

    /// A first payment that took money counts as a charge: the mandate's distance begins with it.
    private mutating func activated(_ activation: Activation, _ at: Timestamp) {
        switch activation.mode {
        case .sale, .authorize:
            tries[activation.payment] = TryRecord(
                ordinal: 0,
                amount: 0,
                instrument: activation.instrument,
                at: at,
                outcome: .succeeded
            )
        case .verify, .tokenize: break
        }
    }

    private mutating func started(_ one: OccurrenceTry) {
        tries[one.payment] = TryRecord(
            ordinal: one.ordinal,
            amount: one.amount.minor,
            instrument: one.instrument,
            at: one.at,
            outcome: nil
        )
        open[one.ordinal]?.attempts = one.attempt
        open[one.ordinal]?.state = .inFlight(one.payment)
        open[one.ordinal]?.instrument = one.instrument
        next = max(next, one.ordinal + 1)
    }

    private mutating func succeeded(_ ordinal: Int, _ payment: PaymentId, _ amount: Money) {
        if let due = due(ordinal), due != amount { count(.amountDiffers) }
        paid[ordinal] = payment
        open[ordinal] = nil
        booked(payment, amount)
    }

    private mutating func booked(_ payment: PaymentId, _ amount: Money) {
        tries[payment]?.outcome = .succeeded
        let (sum, overflow) = collected.addingReportingOverflow(amount.minor)
        collected = overflow ? .max : sum
    }

    private mutating func failed(_ ordinal: Int, _ payment: PaymentId?) {
        if let payment { tries[payment]?.outcome = .failed }
        if open[ordinal]?.payment == payment { open[ordinal]?.state = .declined }
    }

    private mutating func changed(_ change: ScheduleChange) {
        if change.amount != nil || change.rule != nil { owe(.update) }
        if let amount = change.amount { terms?.amount = amount }
        if let instrument = change.instrument { charge(instrument) }
        if let fallback = change.fallback { terms?.fallback = fallback }
        if let details = change.details { terms?.details = details }
        if let policy = change.policy { terms?.policy = policy }
        if let rule = change.rule {
            terms?.rule = rule
            base = next - 1
        }
    }

    /// Another instrument holds at once: a retry that waits charges it, unless the fallback was chosen for that one.
    private mutating func charge(_ instrument: InstrumentId) {
        for (ordinal, one) in open where one.isStartable && one.instrument == terms?.instrument {
            open[ordinal]?.instrument = nil
        }
        terms?.instrument = instrument
    }

    /// Nothing is started any more; what is under way still comes to its end.
    private mutating func end(_ status: ScheduleStatus, _ cause: StatusCause) {
        self.status = status
        self.cause = cause
        open = open.filter { $0.value.payment != nil }
    }
}

/// One payment of the series, and what is known of it.
package struct TryRecord: Hashable, Sendable {
    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        case succeeded, failed
    }

    package let ordinal: Int
    package let amount: Int64
    /// The instrument that was charged; `nil` for a series that its provider knows by name.
    package let instrument: InstrumentId?
    package let at: Timestamp
    /// `nil` while it is under way.
    package internal(set) var outcome: Outcome?
}

/// A thing that a person must look at; each is an alert, and its number is shown.
package enum Anomaly: String, Hashable, Sendable, CaseIterable {
    /// A debit that no occurrence explains.
    case debitUnmatched
    /// The provider was to debit and nothing was seen of it.
    case debitMissing
    /// An ordinal was paid with another amount than was due.
    case amountDiffers
    /// An ordinal was paid a second time.
    case paidTwice
    /// A payment registered the series when it was over, or a second time.
    case registrationUnwanted
}

/// An occurrence on its way.
package struct OpenOccurrence: Hashable, Sendable {
    /// Where it stands.
    ///
    /// From every case `succeeded` ends it, by whichever of its payments. The end of the schedule ends those without a payment
    /// under way.
    package enum State: Hashable, Sendable {
        /// Goes to `inFlight` by `started` at `startAt`, to `declined` where nothing can be charged, or is `skipped`.
        case planned
        /// A payment was asked for and has no outcome. Goes to `declined` by `failed`, to `stepUp` by `stepUpRequested`.
        case inFlight(PaymentId)
        /// The last try was declined.
        ///
        /// In a series that we run the same decision leads on: to `waiting` by `retried`, to `stepUp` by `stepUpRequested`, or
        /// to its end by `gaveUp`. In one that the provider runs it waits for another debit (`started`) until the next one is
        /// due, and is given up then.
        case declined
        /// Another try begins at `startAt`.
        ///
        /// Goes to `inFlight` by `started`, to `waiting` once more by `retried`, to `declined` where nothing can be charged, or
        /// is `skipped` or given up.
        case waiting
        /// The customer is asked; given up at `startAt`.
        ///
        /// Goes to `inFlight` by another `started`, and to `declined` when its payment fails.
        case stepUp(PaymentId)
    }

    package let plan: OccurrencePlan
    package internal(set) var state: State
    /// Tries so far.
    package internal(set) var attempts: Int
    package internal(set) var startAt: Timestamp
    /// Whether it was to begin earlier and is late already.
    package internal(set) var isPostponed: Bool
    /// The instrument that the last try charged or the next one is to charge; `nil` is the schedule's own instrument.
    package internal(set) var instrument: InstrumentId?

    init(plan: OccurrencePlan, attempts: Int) {
        self.plan = plan
        self.attempts = attempts
        state = .planned
        startAt = plan.startAt
        isPostponed = plan.isLate
        instrument = nil
    }

    /// The try that has no outcome yet.
    package var payment: PaymentId? {
        switch state {
        case .inFlight(let payment), .stepUp(let payment): payment
        case .planned, .declined, .waiting: nil
        }
    }

    /// Whether a try may begin at `startAt`.
    var isStartable: Bool {
        switch state {
        case .planned, .waiting: true
        case .inFlight, .declined, .stepUp: false
        }
    }
}

extension Schedule {
    /// Ordinals of the rule that holds, as the rule counts them.
    package func ruleOrdinal(_ ordinal: Int) -> Int { ordinal - base }

    /// The input that asks for a try: the same try meets itself, whoever fires it and however often.
    package func input(_ ordinal: Int, attempt: Int) -> Uuid {
        .version5(namespace: id.uuid, name: "occurrence:\(ordinal):\(attempt)")
    }

    /// The payment that this input creates.
    package func payment(_ ordinal: Int, attempt: Int) -> PaymentId {
        PaymentId(.version5(namespace: input(ordinal, attempt: attempt), name: "payment"))
    }

    /// The amount due at an ordinal by its plan, else by the terms that hold.
    package func due(_ ordinal: Int) -> Money? {
        open[ordinal]?.plan.amount ?? terms?.rule?.listedAmount(ruleOrdinal(ordinal)) ?? terms?.amount
    }

    /// Whether a payment is under way, of whatever occurrence.
    package var hasTryInFlight: Bool { tries.values.contains { $0.outcome == nil } }

    package func isInFlight(_ payment: PaymentId) -> Bool { tries[payment].map { $0.outcome == nil } ?? false }

    /// When the last charge began that succeeded or may still succeed.
    package var lastChargeAt: Timestamp? { tries.values.filter { $0.outcome != .failed }.map(\.at).max() }

    /// When this schedule wants to be woken, in business time.
    ///
    /// A timer that is due leads to an event, so a timer never fires without progress.
    package var nextTimer: Timestamp? {
        switch status {
        case .registered: terms?.activateBy
        case .active:
            switch terms?.runner {
            case .paystream?: nextStart
            case .provider?: open.max { $0.key < $1.key }.flatMap { $0.value.payment == nil ? $0.value.startAt : nil }
            case nil: nil
            }
        case .unregistered, .paused, .completed, .cancelled, .expired: nil
        }
    }

    /// When the next occurrence is charged, or what else the schedule waits for.
    package var nextAt: Timestamp? {
        switch terms?.runner {
        // It is woken only when the wait for the debit is over.
        case .provider? where status == .active:
            open.values.filter { $0.state == .planned }.max { $0.plan.ordinal < $1.plan.ordinal }?.plan.dueAt
        case .provider?, .paystream?, nil: nextTimer
        }
    }

    private var nextStart: Timestamp? {
        let isBlocked = terms?.mandate.minimumDays != nil && hasTryInFlight
        let times = open.values.compactMap { one -> Timestamp? in
            switch one.state {
            case .planned, .waiting: isBlocked ? nil : one.startAt
            case .stepUp: one.startAt
            case .inFlight, .declined: nil
            }
        }
        return times.min()
    }
}
