import EventSourcing
package import Kernel
package import Schedules

/// The record of one occurrence: every try, every decision about it, and how it ended.
package struct OccurrenceRecord: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        case planned, inFlight, declined, waiting, stepUp
        case succeeded, skipped, givenUp
        /// The series ended before it.
        case dropped
    }

    /// One payment of the occurrence, or a failure before there was one.
    package struct Try: Hashable, Sendable {
        package let started: OccurrenceTry?
        package fileprivate(set) var paidAt: Timestamp?
        package fileprivate(set) var failure: ScheduleEvent.Failure?
        package fileprivate(set) var failedAt: Timestamp?
    }

    fileprivate enum End: Hashable, Sendable {
        case succeeded(PaymentId, Money)
        case skipped(ScheduleEvent.SkipReason)
        case gaveUp(DunningPolicy.GiveUp)
    }

    package let ordinal: Int
    /// Version of the stream at which something of it changed last.
    package fileprivate(set) var version: Int32 = 0
    package fileprivate(set) var plan: OccurrencePlan?
    package fileprivate(set) var tries: [Try] = []
    package fileprivate(set) var paidTwice: [PaymentId] = []
    /// The policy that decided last what follows.
    package fileprivate(set) var policy: ScheduleEvent.PolicyVersion?
    /// The card's last month, where it ends before the occurrence is due.
    package fileprivate(set) var expiry: CardExpiry?
    package fileprivate(set) var endedAt: Timestamp?
    fileprivate var end: End?
    fileprivate var open: OpenOccurrence?
    fileprivate var nextAction: Json?

    fileprivate init(ordinal: Int) { self.ordinal = ordinal }

    package var state: State {
        switch end {
        case .succeeded?: .succeeded
        case .skipped?: .skipped
        case .gaveUp?: .givenUp
        case nil: open?.word ?? .dropped
        }
    }

    /// The payment that paid it, else the newest one.
    package var payment: PaymentId? {
        if case .succeeded(let payment, _)? = end { return payment }
        return tries.last { $0.started != nil }?.started?.payment
    }

    package var amount: Money? {
        if case .succeeded(_, let amount)? = end { return amount }
        return plan?.amount
    }

    /// When its next try begins, or when its customer is waited for no longer; as it was planned once it is over.
    package var startAt: Timestamp? { open?.startAt ?? plan?.startAt }

    /// Why it was left out or given up, or the class of its last decline.
    package var reason: String? {
        switch end {
        case .succeeded?: nil
        case .skipped(let reason)?: reason.rawValue
        case .gaveUp?, nil: tries.last?.failure?.kind.rawValue
        }
    }

    package var json: Json {
        var members = JsonObject([("ordinal", .integer(Int64(ordinal))), ("state", .string(state.rawValue))])
        members["amount"] = amount?.json
        members["startAt"] = startAt?.json
        if let plan {
            members["date"] = .string(plan.date.text)
            members["dueAt"] = plan.dueAt.json
            members["isLate"] = .bool(plan.isLate)
            members["reasons"] = .array(plan.reasons.map { .string($0.rawValue) })
            members["zoneDigest"] = plan.zoneDigest.map(Json.string)
        }
        members["reason"] = reason.map(Json.string)
        if case .gaveUp(let action)? = end { members["gaveUp"] = .string(action.rawValue) }
        if let policy {
            members["policy"] = ["name": .string(policy.name), "version": .integer(Int64(policy.version))]
        }
        members["payment"] = payment?.json
        members["endedAt"] = endedAt?.json
        members["nextAction"] = nextAction
        members["tries"] = .array(tries.map(\.json))
        if !paidTwice.isEmpty { members["paidTwice"] = .array(paidTwice.map(\.json)) }
        if let expiry {
            members["cardEnds"] = ["year": .integer(Int64(expiry.year)), "month": .integer(Int64(expiry.month))]
        }
        return .object(members)
    }
}

extension OccurrenceRecord.Try {
    fileprivate var json: Json {
        var members = JsonObject([])
        if let started {
            members["attempt"] = .integer(Int64(started.attempt))
            members["payment"] = started.payment.json
            members["amount"] = started.amount.json
            members["instrument"] = started.instrument?.json
            members["presence"] = .string(started.presence.rawValue)
            members["origin"] = .string(started.origin.rawValue)
            members["at"] = started.at.json
        }
        if let failure {
            members["decline"] = .compact([
                ("kind", .string(failure.kind.rawValue)), ("code", failure.code.map(Json.string)),
            ])
        }
        members["outcome"] = paidAt != nil ? "succeeded" : failure != nil ? "failed" : nil
        members["endedAt"] = (paidAt ?? failedAt)?.json
        return .object(members)
    }
}

extension OpenOccurrence {
    var word: OccurrenceRecord.State {
        switch state {
        case .planned: .planned
        case .inFlight: .inFlight
        case .declined: .declined
        case .waiting: .waiting
        case .stepUp: .stepUp
        }
    }
}

/// A schedule and its occurrences by ordinal: a function of its stream.
package struct OccurrenceHistory: Aggregate, Hashable {
    package private(set) var schedule: Schedule
    private var known: [Int: OccurrenceRecord] = [:]

    package init(id: ScheduleId) { schedule = Schedule(id: id) }

    package init(_ id: ScheduleId, _ events: [ScheduleEvent]) { self = Self.fold(id, events) }

    package var version: Int32 { schedule.version }

    package mutating func evolve(_ event: ScheduleEvent) {
        schedule.evolve(event)
        take(event)
    }

    /// In the order of their ordinals.
    package var records: [OccurrenceRecord] {
        known.values.sorted { $0.ordinal < $1.ordinal }.map { record in
            guard let one = schedule.open[record.ordinal] else { return record }
            var record = record
            (record.open, record.nextAction) = (one, schedule.nextAction(one))
            return record
        }
    }

    private mutating func change(_ ordinal: Int, _ body: (inout OccurrenceRecord) -> Void) {
        var record = known[ordinal] ?? OccurrenceRecord(ordinal: ordinal)
        record.version = version
        body(&record)
        known[ordinal] = record
    }

    /// Touches everything that is not over: a word about the whole series shows there.
    private mutating func touchOpen() {
        let version = version
        for (ordinal, record) in known where record.end == nil { known[ordinal]?.version = version }
    }

    private mutating func end(_ ordinal: Int, _ end: OccurrenceRecord.End, at: Timestamp) {
        change(ordinal) { record in
            record.end = end
            record.endedAt = at
        }
    }

    private mutating func take(_ event: ScheduleEvent) {
        switch event {
        case .planned(let plan): change(plan.ordinal) { $0.plan = plan }
        case .started(let one): change(one.ordinal) { $0.tries.append(OccurrenceRecord.Try(started: one)) }
        case .succeeded(let ordinal, let payment, let amount, let at):
            pay(ordinal, payment, at)
            end(ordinal, .succeeded(payment, amount), at: at)
        case .paidTwice(let ordinal, let payment, _, let at):
            pay(ordinal, payment, at)
            change(ordinal) { $0.paidTwice.append(payment) }
        case .failed(let ordinal, let payment, let failure, let at): fail(ordinal, payment, failure, at)
        case .retried(let retry): change(retry.ordinal) { $0.policy = retry.policy }
        case .stepUpRequested(let ordinal, _, _, let policy): change(ordinal) { $0.policy = policy }
        case .gaveUp(let ordinal, let action, let policy, let at):
            change(ordinal) { $0.policy = policy }
            end(ordinal, .gaveUp(action), at: at)
        case .skipped(let first, let last, let reason, let at):
            for ordinal in first...max(first, last) { end(ordinal, .skipped(reason), at: at) }
        case .expiryNoticed(_, let expiry, let ordinal, _): change(ordinal) { $0.expiry = expiry }
        case .changed, .completed, .cancelled, .expired: touchOpen()
        case .registered, .activated, .registrationUnwanted, .debitUnmatched, .paused, .resumed, .requestLicensed,
            .requestObserved,
            .requestEnded:
            break
        }
    }

    private mutating func pay(_ ordinal: Int, _ payment: PaymentId, _ at: Timestamp) {
        change(ordinal) { record in
            guard let index = record.tries.lastIndex(where: { $0.started?.payment == payment }) else { return }
            record.tries[index].paidAt = at
        }
    }

    private mutating func fail(
        _ ordinal: Int,
        _ payment: PaymentId?,
        _ failure: ScheduleEvent.Failure,
        _ at: Timestamp
    ) {
        change(ordinal) { record in
            let index = payment.flatMap { id in record.tries.lastIndex { $0.started?.payment == id } }
            guard let index else {
                record.tries.append(OccurrenceRecord.Try(started: nil, failure: failure, failedAt: at))
                return
            }
            record.tries[index].failure = failure
            record.tries[index].failedAt = at
        }
    }
}

extension Schedule {
    /// The payer's next action for an occurrence that asks for them.
    ///
    /// A payment that waits for them says itself what to do; after a decline another one must be begun for them.
    func nextAction(_ one: OpenOccurrence) -> Json? {
        guard case .stepUp(let payment) = one.state else { return nil }
        let until = one.startAt.json
        guard !isInFlight(payment) else { return ["is": "payment", "payment": payment.json, "until": until] }
        return [
            "is": "run", "ordinal": .integer(Int64(one.plan.ordinal)),
            "presence": .string(Presence.customerPresent.rawValue),
            "until": until,
        ]
    }
}
