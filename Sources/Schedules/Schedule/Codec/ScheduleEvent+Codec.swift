package import EventSourcing
package import Kernel

extension ScheduleEvent {
    /// The stored names; a changed shape gets a new version beside the old one.
    package enum Name: String, Hashable, Sendable, CaseIterable {
        case registered = "schedule.registered.v1"
        case activated = "schedule.activated.v1"
        case registrationUnwanted = "schedule.registration_unwanted.v1"
        case planned = "occurrence.planned.v1"
        case started = "occurrence.started.v1"
        case succeeded = "occurrence.succeeded.v1"
        case failed = "occurrence.failed.v1"
        case retried = "occurrence.retried.v1"
        case stepUpRequested = "occurrence.step_up_requested.v1"
        case gaveUp = "occurrence.gave_up.v1"
        case skipped = "occurrence.skipped.v1"
        case paidTwice = "occurrence.paid_twice.v1"
        case debitUnmatched = "schedule.debit_unmatched.v1"
        case expiryNoticed = "schedule.instrument_expiry_noticed.v1"
        case paused = "schedule.paused.v1"
        case resumed = "schedule.resumed.v1"
        case changed = "schedule.changed.v1"
        case completed = "schedule.completed.v1"
        case cancelled = "schedule.cancelled.v1"
        case expired = "schedule.expired.v1"
        case requestLicensed = "schedule.request_licensed.v1"
        case requestObserved = "schedule.request_observed.v1"
        case requestEnded = "schedule.request_ended.v1"
    }

    package var name: Name {
        switch self {
        case .registered: .registered
        case .activated: .activated
        case .registrationUnwanted: .registrationUnwanted
        case .planned: .planned
        case .started: .started
        case .succeeded: .succeeded
        case .failed: .failed
        case .retried: .retried
        case .stepUpRequested: .stepUpRequested
        case .gaveUp: .gaveUp
        case .skipped: .skipped
        case .paidTwice: .paidTwice
        case .debitUnmatched: .debitUnmatched
        case .expiryNoticed: .expiryNoticed
        case .paused: .paused
        case .resumed: .resumed
        case .changed: .changed
        case .completed: .completed
        case .cancelled: .cancelled
        case .expired: .expired
        case .requestLicensed: .requestLicensed
        case .requestObserved: .requestObserved
        case .requestEnded: .requestEnded
        }
    }

    /// The payload as it is stored.
    package func write(into out: inout JsonText) {
        switch self {
        case .registered(let terms, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("terms", terms)
        case .activated(let activation, let at), .registrationUnwanted(let activation, let at):
            out.member("activation", activation)
            out.member("at", at)
        case .planned(let plan): plan.write(into: &out)
        case .started(let one): one.write(into: &out)
        case .succeeded(let ordinal, let payment, let amount, let at),
            .paidTwice(let ordinal, let payment, let amount, let at):
            out.member("amount", amount)
            out.member("at", at)
            out.member("ordinal", ordinal)
            out.member("payment", payment)
        case .failed(let ordinal, let payment, let failure, let at):
            out.member("at", at)
            out.member("code", failure.code)
            out.member("kind", failure.kind)
            out.member("ordinal", ordinal)
            out.member("payment", payment)
        case .retried(let retry): retry.write(into: &out)
        case .stepUpRequested(let ordinal, let payment, let deadline, let policy):
            out.member("deadline", deadline)
            out.member("ordinal", ordinal)
            out.member("payment", payment)
            out.member("policy", policy)
        case .gaveUp(let ordinal, let action, let policy, let at):
            out.member("action", action)
            out.member("at", at)
            out.member("ordinal", ordinal)
            out.member("policy", policy)
        case .skipped(let first, let last, let reason, let at):
            out.member("at", at)
            out.member("first", first)
            out.member("last", last)
            out.member("reason", reason)
        case .debitUnmatched, .expiryNoticed, .paused, .resumed, .changed, .completed, .cancelled, .expired,
            .requestLicensed, .requestObserved, .requestEnded:
            writeChange(into: &out)
        }
    }

    private func writeChange(into out: inout JsonText) {
        switch self {
        case .debitUnmatched(let payment, let series, let amount, let at):
            out.member("amount", amount)
            out.member("at", at)
            out.member("payment", payment)
            out.member("series", series)
        case .expiryNoticed(let instrument, let expiry, let ordinal, let at):
            out.member("at", at)
            out.member("instrument", instrument)
            out.member("month", expiry.month)
            out.member("ordinal", ordinal)
            out.member("year", expiry.year)
        case .paused(let reason, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("reason", reason)
        case .resumed(let missed, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("missed", missed)
        case .changed(let change, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("change", change)
        case .completed(let at): out.member("at", at)
        case .cancelled(let reason, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("reason", reason)
        case .expired(let expiry, let at):
            out.member("at", at)
            out.member("reason", expiry)
        case .requestLicensed(let license): license.write(into: &out)
        case .requestObserved(let effect, let ordinal, let outcome, let at):
            out.member("at", at)
            out.member("effect", effect)
            out.member("ordinal", ordinal)
            out.member("outcome", outcome)
        case .requestEnded(let effect, let at):
            out.member("at", at)
            out.member("effect", effect)
        default: preconditionFailure("written before")
        }
    }
}

extension ScheduleEvent {
    /// Reads the payload of a stored event.
    package init(_ name: Name, _ fields: Fields) throws(CodecFailure) {
        switch name {
        case .registered:
            self = .registered(
                try ScheduleTerms(fields.fields("terms")),
                by: try fields.text("by"),
                at: try fields.time("at")
            )
        case .activated: self = .activated(try Activation(fields.fields("activation")), at: try fields.time("at"))
        case .registrationUnwanted:
            self = .registrationUnwanted(try Activation(fields.fields("activation")), at: try fields.time("at"))
        case .planned, .started, .succeeded, .failed, .retried, .stepUpRequested, .gaveUp, .skipped, .paidTwice:
            self = try Self.occurrence(name, fields)
        case .debitUnmatched:
            self = .debitUnmatched(
                payment: try fields.id("payment"),
                series: try fields.text("series"),
                amount: try fields.money("amount"),
                at: try fields.time("at")
            )
        case .expiryNoticed:
            self = .expiryNoticed(
                try fields.id("instrument"),
                CardExpiry(year: try fields.int("year"), month: try fields.int("month")),
                ordinal: try fields.ordinal("ordinal"),
                at: try fields.time("at")
            )
        case .paused:
            self = .paused(reason: try fields.text("reason"), by: try fields.text("by"), at: try fields.time("at"))
        case .resumed: self = .resumed(try fields.word("missed"), by: try fields.text("by"), at: try fields.time("at"))
        case .changed:
            self = .changed(
                try ScheduleChange(fields.fields("change")),
                by: try fields.text("by"),
                at: try fields.time("at")
            )
        case .completed: self = .completed(at: try fields.time("at"))
        case .cancelled:
            self = .cancelled(
                reason: try fields.optionalText("reason"),
                by: try fields.text("by"),
                at: try fields.time("at")
            )
        case .expired: self = .expired(try fields.word("reason"), at: try fields.time("at"))
        case .requestLicensed: self = .requestLicensed(try SeriesLicense(fields))
        case .requestObserved:
            self = .requestObserved(
                try fields.id("effect"),
                ordinal: try fields.int32("ordinal"),
                try SeriesOutcome(fields.fields("outcome")),
                at: try fields.time("at")
            )
        case .requestEnded: self = .requestEnded(try fields.id("effect"), at: try fields.time("at"))
        }
    }

    private static func occurrence(_ name: Name, _ fields: Fields) throws(CodecFailure) -> ScheduleEvent {
        switch name {
        case .planned: return .planned(try OccurrencePlan(fields))
        case .started: return .started(try OccurrenceTry(fields))
        case .retried: return .retried(try OccurrenceRetry(fields))
        case .succeeded, .paidTwice:
            let (ordinal, payment) = (try fields.ordinal("ordinal"), try fields.id("payment") as PaymentId)
            let (amount, at) = (try fields.money("amount"), try fields.time("at"))
            return name == .succeeded
                ? .succeeded(ordinal: ordinal, payment: payment, amount: amount, at: at)
                : .paidTwice(ordinal: ordinal, payment: payment, amount: amount, at: at)
        case .failed:
            return .failed(
                ordinal: try fields.ordinal("ordinal"),
                payment: try fields.optionalId("payment"),
                Failure(kind: try fields.word("kind"), code: try fields.optionalText("code")),
                at: try fields.time("at")
            )
        case .stepUpRequested:
            return .stepUpRequested(
                ordinal: try fields.ordinal("ordinal"),
                payment: try fields.id("payment"),
                deadline: try fields.time("deadline"),
                policy: try PolicyVersion(fields.fields("policy"))
            )
        case .gaveUp:
            return .gaveUp(
                ordinal: try fields.ordinal("ordinal"),
                try fields.word("action"),
                policy: try PolicyVersion(fields.fields("policy")),
                at: try fields.time("at")
            )
        case .skipped:
            let (first, last) = (try fields.ordinal("first"), try fields.ordinal("last"))
            guard first <= last else { throw CodecFailure("last") }
            return .skipped(first: first, last: last, try fields.word("reason"), at: try fields.time("at"))
        case .registered, .activated, .registrationUnwanted, .debitUnmatched, .expiryNoticed, .paused, .resumed,
            .changed, .completed, .cancelled, .expired, .requestLicensed, .requestObserved, .requestEnded:
            throw CodecFailure(name.rawValue)
        }
    }
}

extension ScheduleEvent.PolicyVersion: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("name", name)
        out.member("version", version)
    }

    init(_ fields: Fields) throws(CodecFailure) {
        self.init(name: try fields.text("name"), version: try fields.int("version"))
    }
}

extension OccurrencePlan: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("amount", amount)
        out.member("date", date)
        out.member("dueAt", dueAt)
        out.member("isLate", isLate)
        out.member("ordinal", ordinal)
        out.member("reasons", .array(reasons.map { .string($0.rawValue) }))
        out.member("startAt", startAt)
        out.member("zoneDigest", zoneDigest)
    }

    init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            ordinal: try fields.ordinal("ordinal"),
            date: try fields.date("date"),
            dueAt: try fields.time("dueAt"),
            startAt: try fields.time("startAt"),
            amount: try fields.money("amount"),
            zoneDigest: try fields.optionalText("zoneDigest"),
            reasons: try fields.words("reasons"),
            isLate: try fields.flag("isLate")
        )
    }
}

extension OccurrenceTry: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("amount", amount)
        out.member("at", at)
        out.member("attempt", attempt)
        out.member("instrument", instrument)
        out.member("ordinal", ordinal)
        out.member("origin", origin)
        out.member("payment", payment)
        out.member("presence", presence)
    }

    init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            ordinal: try fields.ordinal("ordinal"),
            attempt: try fields.int("attempt"),
            payment: try fields.id("payment"),
            amount: try fields.money("amount"),
            instrument: try fields.optionalId("instrument"),
            presence: try fields.word("presence"),
            origin: try fields.word("origin"),
            at: try fields.time("at")
        )
    }
}

extension OccurrenceRetry: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("after", after)
        out.member("instrument", instrument)
        out.member("ordinal", ordinal)
        out.member("policy", policy)
        out.member("startAt", startAt)
    }

    init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            ordinal: try fields.ordinal("ordinal"),
            startAt: try fields.time("startAt"),
            instrument: try fields.optionalId("instrument"),
            after: try fields.word("after"),
            policy: try ScheduleEvent.PolicyVersion(fields.fields("policy"))
        )
    }
}
