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
    package var json: Json {
        switch self {
        case .registered(let terms, let actor, let at): ["at": at.json, "by": .string(actor), "terms": terms.json]
        case .activated(let activation, let at), .registrationUnwanted(let activation, let at):
            ["activation": activation.json, "at": at.json]
        case .planned(let plan): plan.json
        case .started(let one): one.json
        case .succeeded(let ordinal, let payment, let amount, let at),
            .paidTwice(let ordinal, let payment, let amount, let at):
            ["amount": amount.json, "at": at.json, "ordinal": ordinal.json, "payment": payment.json]
        case .failed(let ordinal, let payment, let failure, let at):
            .compact([
                ("at", at.json), ("code", failure.code.map(Json.string)), ("kind", .string(failure.kind.rawValue)),
                ("ordinal", ordinal.json), ("payment", payment?.json),
            ])
        case .retried(let retry): retry.json
        case .stepUpRequested(let ordinal, let payment, let deadline, let policy):
            [
                "deadline": deadline.json, "ordinal": ordinal.json, "payment": payment.json, "policy": policy.json,
            ]
        case .gaveUp(let ordinal, let action, let policy, let at):
            [
                "action": .string(action.rawValue), "at": at.json, "ordinal": ordinal.json, "policy": policy.json,
            ]
        case .skipped(let first, let last, let reason, let at):
            ["at": at.json, "first": first.json, "last": last.json, "reason": .string(reason.rawValue)]
        case .debitUnmatched(let payment, let series, let amount, let at):
            ["amount": amount.json, "at": at.json, "payment": payment.json, "series": .string(series)]
        case .expiryNoticed(let instrument, let expiry, let ordinal, let at):
            [
                "at": at.json, "instrument": instrument.json, "month": expiry.month.json, "ordinal": ordinal.json,
                "year": expiry.year.json,
            ]
        case .paused(let reason, let actor, let at):
            ["at": at.json, "by": .string(actor), "reason": .string(reason)]
        case .resumed(let missed, let actor, let at):
            ["at": at.json, "by": .string(actor), "missed": .string(missed.rawValue)]
        case .changed(let change, let actor, let at): ["at": at.json, "by": .string(actor), "change": change.json]
        case .completed(let at): ["at": at.json]
        case .cancelled(let reason, let actor, let at):
            .compact([("at", at.json), ("by", .string(actor)), ("reason", reason.map(Json.string))])
        case .expired(let expiry, let at): ["at": at.json, "reason": .string(expiry.rawValue)]
        case .requestLicensed(let license): license.json
        case .requestObserved(let effect, let ordinal, let outcome, let at):
            [
                "at": at.json, "effect": effect.json, "ordinal": .integer(Int64(ordinal)), "outcome": outcome.json,
            ]
        case .requestEnded(let effect, let at): ["at": at.json, "effect": effect.json]
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

extension ScheduleEvent.PolicyVersion {
    var json: Json { ["name": .string(name), "version": version.json] }

    init(_ fields: Fields) throws(CodecFailure) {
        self.init(name: try fields.text("name"), version: try fields.int("version"))
    }
}

extension OccurrencePlan {
    var json: Json {
        .compact([
            ("amount", amount.json), ("date", date.json), ("dueAt", dueAt.json), ("isLate", .bool(isLate)),
            ("ordinal", ordinal.json), ("reasons", .array(reasons.map { .string($0.rawValue) })),
            ("startAt", startAt.json), ("zoneDigest", zoneDigest.map(Json.string)),
        ])
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

extension OccurrenceTry {
    var json: Json {
        .compact([
            ("amount", amount.json), ("at", at.json), ("attempt", attempt.json), ("instrument", instrument?.json),
            ("ordinal", ordinal.json), ("origin", .string(origin.rawValue)), ("payment", payment.json),
            ("presence", .string(presence.rawValue)),
        ])
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

extension OccurrenceRetry {
    var json: Json {
        .compact([
            ("after", .string(after.rawValue)), ("instrument", instrument?.json), ("ordinal", ordinal.json),
            ("policy", policy.json), ("startAt", startAt.json),
        ])
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
