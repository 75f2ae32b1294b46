import EventSourcing
import Http
package import Kernel
import Payments
package import Schedules

/// A schedule's fold at a version.
package struct ScheduleSnapshot: Sendable {
    package let schedule: Schedule
    package let createdAt: Timestamp

    package init(schedule: Schedule, createdAt: Timestamp) {
        self.schedule = schedule
        self.createdAt = createdAt
    }
}

extension Schedule {
    /// The schedule as the API shows it: no details, which may be sealed.
    var shown: Json {
        let coming = open.values.sorted { $0.plan.ordinal < $1.plan.ordinal }
        return .compact([
            ("id", id.json), ("object", "schedule"), ("version", .integer(Int64(version))),
            ("status", .string(status.rawValue)), ("kind", (terms?.kind.rawValue).map(Json.string)),
            ("runner", (terms?.runner.rawValue).map(Json.string)),
            ("presence", (terms?.presence.rawValue).map(Json.string)), ("account", terms?.account.json),
            ("instrument", terms?.instrument?.json), ("fallback", terms?.fallback?.json),
            ("customer", terms?.customer.map(Json.string)), ("reference", terms?.reference.map(Json.string)),
            ("description", terms?.description.map(Json.string)), ("amount", terms?.amount?.json),
            ("rule", terms?.rule?.json), ("mandate", terms?.mandate.json), ("policy", terms?.policy.json),
            ("activateBy", terms?.activateBy.json), ("activatedBy", activation?.payment.json),
            ("nextAt", wake?.json), ("collected", .integer(collected)), ("paid", .integer(Int64(paid.count))),
            ("occurrences", .array(coming.map(\.shown))), ("metadata", terms?.metadata),
        ])
    }
}

extension OpenOccurrence {
    fileprivate var shown: Json {
        .compact([
            ("ordinal", .integer(Int64(plan.ordinal))), ("state", .string(word)), ("date", .string(plan.date.text)),
            ("dueAt", plan.dueAt.json), ("startAt", startAt.json), ("amount", plan.amount.json),
            ("attempts", .integer(Int64(attempts))), ("payment", payment?.json),
            ("reasons", .array(plan.reasons.map { .string($0.rawValue) })),
            ("zoneDigest", plan.zoneDigest.map(Json.string)),
        ])
    }

    private var word: String {
        switch state {
        case .planned: "planned"
        case .inFlight: "inFlight"
        case .declined: "declined"
        case .waiting: "waiting"
        case .stepUp: "stepUp"
        }
    }
}
