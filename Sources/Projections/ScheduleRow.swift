package import EventSourcing
package import Kernel
package import Schedules

/// A schedule's row in the read model `schedule_view`: a function of its whole stream up to one event.
package struct ScheduleRow: Hashable, Sendable {
    /// Raised when the same stream gives another row: the read model is rebuilt.
    package static let version: Int32 = 4

    package let merchant: MerchantNumber
    package let id: ScheduleId
    /// Version of the stream that the row shows.
    package let version: Int32
    /// Place of that version's event in the log.
    package let position: Int64
    package let status: ScheduleStatus
    /// When the next occurrence is charged, or what else it waits for; `nil` where it waits for nothing.
    package let nextAt: Timestamp?
    package let customer: String?
    package let instrument: InstrumentId?
    package let fallback: InstrumentId?
    package let account: Uuid
    package let reference: String?
    package let kind: ScheduleKind
    package let runner: ScheduleRunner
    /// The amount of the next occurrence, else of any.
    package let amount: Money?
    package let collected: Int64
    package let paid: Int32
    package let createdAt: Timestamp
    package let updatedAt: Timestamp
    /// The document that lists show, in canonical JSON.
    package let document: Json

    /// Makes the row of a stream that begins with `first` and was folded up to `last`; `nil` before its registration.
    package init?(_ schedule: Schedule, first: RecordedEvent, last: RecordedEvent) {
        guard let terms = schedule.terms else { return nil }
        merchant = last.stream.merchant
        id = schedule.id
        version = schedule.version
        position = last.position
        status = schedule.status
        nextAt = schedule.nextAt
        customer = terms.customer
        instrument = terms.instrument
        fallback = terms.fallback
        account = terms.account
        reference = terms.reference
        kind = terms.kind
        runner = terms.runner
        amount = schedule.open.min { $0.key < $1.key }?.value.plan.amount ?? terms.amount
        collected = schedule.collected
        paid = Int32(clamping: schedule.paid.count)
        createdAt = first.recordedAt
        updatedAt = last.recordedAt
        var shown = schedule.shown.members ?? JsonObject([])
        // What a list has no need of.
        for name in ["mandate", "metadata", "policy"] { shown[name] = nil }
        shown["createdAt"] = first.recordedAt.json
        shown["updatedAt"] = last.recordedAt.json
        document = .object(shown)
    }
}

extension Schedule {
    /// The schedule as answers show it: no details, which may be sealed.
    package var shown: Json {
        let coming = open.values.sorted { $0.plan.ordinal < $1.plan.ordinal }
        let odd = Anomaly.allCases.compactMap { one in anomalies[one].map { (one.rawValue, Json.integer(Int64($0))) } }
        var members = JsonObject(agreed)
        members["nextAt"] = nextAt?.json
        members["cause"] = cause?.shown
        members["collected"] = .integer(collected)
        members["paid"] = .integer(Int64(paid.count))
        members["occurrences"] = .array(coming.map(shown))
        members["series"] = activation?.series.map(Json.string)
        members["request"] = request?.shown
        if !noticed.isEmpty { members["expiringInstruments"] = .array(noticed.map(\.text).sorted().map(Json.string)) }
        if !paidAgain.isEmpty { members["paidTwice"] = .array(paidAgain.map(\.json)) }
        if !odd.isEmpty { members["oddities"] = .object(JsonObject(odd)) }
        return .object(members)
    }

    /// Who it is, and its terms.
    private var agreed: [(name: String, value: Json)] {
        let all: [(String, Json?)] = [
            ("id", id.json), ("object", "schedule"), ("version", .integer(Int64(version))),
            ("status", .string(status.rawValue)), ("kind", (terms?.kind.rawValue).map(Json.string)),
            ("runner", (terms?.runner.rawValue).map(Json.string)),
            ("presence", (terms?.presence.rawValue).map(Json.string)), ("account", terms?.account.json),
            ("instrument", terms?.instrument?.json), ("fallback", terms?.fallback?.json),
            ("customer", terms?.customer.map(Json.string)), ("reference", terms?.reference.map(Json.string)),
            ("description", terms?.description.map(Json.string)), ("amount", terms?.amount?.json),
            ("rule", terms?.rule?.json), ("mandate", terms?.mandate.json), ("policy", terms?.policy.json),
            ("activation", (terms?.activation.rawValue).map(Json.string)), ("activateBy", terms?.activateBy.json),
            ("activatedBy", activation?.payment.json),
            ("metadata", terms?.metadata),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }
}

extension SeriesRequestState {
    /// The last request to the provider that runs the series, and how it stands.
    fileprivate var shown: Json {
        var code: String?
        if case .refused(let told)? = outcome { code = told }
        return .compact([
            ("ask", .string(license.ask.rawValue)), ("state", .string(word)), ("code", code.map(Json.string)),
            ("askedAt", license.message.licensedAt.json),
        ])
    }
}

extension Schedule {
    fileprivate func shown(_ one: OpenOccurrence) -> Json {
        let plan = one.plan
        return .compact([
            ("ordinal", .integer(Int64(plan.ordinal))), ("state", .string(one.word.rawValue)),
            ("date", .string(plan.date.text)), ("dueAt", plan.dueAt.json), ("startAt", one.startAt.json),
            ("amount", plan.amount.json), ("attempts", .integer(Int64(one.attempts))), ("payment", one.payment?.json),
            ("nextAction", nextAction(one)), ("reasons", .array(plan.reasons.map { .string($0.rawValue) })),
            ("zoneDigest", plan.zoneDigest.map(Json.string)),
        ])
    }

    /// Payments that took an ordinal's money a second time.
    private var paidAgain: [PaymentId] {
        tries.filter { $0.value.outcome == .succeeded && $0.value.ordinal > 0 && paid[$0.value.ordinal] != $0.key }
            .keys.sorted { $0.uuid < $1.uuid }
    }
}

extension StatusCause {
    fileprivate var shown: Json {
        .compact([("reason", reason.map(Json.string)), ("by", by.map(Json.string)), ("at", at.json)])
    }
}
