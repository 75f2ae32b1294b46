import Api
import Daemon
import EventSourcing
import Http
import Kernel
import Payments
import Projections
import Schedules
import Store
import SystemKit

/// `paystream schedules`: recurring payments, what is due next, and when a rule falls due.
struct SchedulesCommand: Command {
    static let name = "schedules"
    static let summary = "List schedules and what is due next, read, preview, change, run or end one."
    static let usage =
        "[OPTIONS] "
        + "due | list | show ID | occurrences ID | preview ID|FILE | add FILE | change ID FILE"
        + " | pause|resume|cancel|run ID [FILE] | policies | policy NAME FILE"
    static let options = [
        PaymentsCommand.merchantOption, PaymentsCommand.jsonOption,
        CommandOption("limit", value: "N", summary: "at most so many lines (default: 50)"),
        CommandOption("status", value: "STATUS", summary: "list only those in this status"),
        CommandOption("customer", value: "TEXT", summary: "list only this customer's"),
        CommandOption("instrument", value: "ID", summary: "list only those that charge this credential"),
        CommandOption("before", value: "TIME", summary: "list only what runs before it, the soonest first"),
        CommandOption("key", value: "KEY", summary: "idempotency key of the change (default: a new one)"),
    ]
    static let notes = """
        FILE holds the body of the request, as docs/API.md has it; '-' stands for standard input:
          add          {"kind": "regular", "amount": …, "rule": …, "policy": {"dunning": "gentle"}}
          preview      {"rule": {"period": "month", "start": "2027-01-31", "time": "10:00", "zone": "Europe/Moscow"}}
          change       {"amount": …}, {"rule": …}, {"nextDate": "2027-02-03"}, {"instrument": "ins_…"} or {"policy": …}
          pause        {"reason": "holiday"}, as cancel
          resume       {"missed": "catchUp"} charges what fell due in the pause, by the schedule's policy
          run          {"ordinal": 3, "presence": "customerPresent"}: the customer takes part, as after a step-up
          policy       {"steps": {"soft": {"is": "retry", "afterSeconds": [86400]}}, "giveUp": "mark"}
        'due' reads the timers and 'list' the read model in the database; the others ask the daemon that PAYSTREAM_URL and PAYSTREAM_KEY name.
        """

    static let standardLimit = 50

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        let verb = given.words.first ?? "due"
        if verb == "due" {
            try given.demand(words: 1)
            return try await due(given)
        }
        if verb == "list" {
            try given.demand(words: 1)
            return try await list(given)
        }
        return try await ask(verb, given)
    }

    /// The schedules that are armed, the nearest first.
    private func due(_ given: ScatteredArguments) async throws -> Int32 {
        let limit = try given.integer("limit", in: 1...10_000) ?? Self.standardLimit
        let found = try await StoreSession.with { session in
            let merchant = try await session.merchant(given["merchant"])
            let armed = try await session.registers.armedSchedules(of: merchant, limit: limit)
            var schedules: [(at: Timestamp, schedule: Schedule)] = []
            for row in armed {
                let id = ScheduleId(row.id)
                guard let known = try await session.reader.schedule(id, merchant: merchant) else { continue }
                // A debit of the provider's own is waited for beyond its day.
                schedules.append((known.schedule.nextAt ?? row.at, known.schedule))
            }
            return schedules.sorted { $0.at < $1.at }
        }
        var table = ColumnTable(["SCHEDULE", "STATUS", "NEXT", "AMOUNT", "ZONE", "REFERENCE"], rightAligned: [3])
        for (at, schedule) in found {
            let terms = schedule.terms
            let amount = schedule.open.min { $0.key < $1.key }?.value.plan.amount ?? terms?.amount
            if given.has("json") {
                let line: Json = .compact([
                    ("amount", amount?.json), ("id", schedule.id.json), ("nextAt", at.json),
                    ("reference", terms?.reference.map(Json.string)), ("status", .string(schedule.status.rawValue)),
                ])
                StandardStream.output.write(line.canonicalText + "\n")
            }
            table.add([
                schedule.id.text, schedule.status.rawValue, Cell.time(at), amount?.description ?? "-",
                terms?.rule?.zone ?? "-", terms?.reference ?? "-",
            ])
        }
        if !given.has("json") { StandardStream.output.write(table.text(orSay: "no schedule is armed")) }
        return 0
    }

    /// Prints what the read model holds, newest first or by next run.
    private func list(_ given: ScatteredArguments) async throws -> Int32 {
        let query = try Self.query(given)
        let (rows, next) = try await StoreSession.with { session in
            try await session.views.schedules.schedules(query, merchant: try await session.merchant(given["merchant"]))
        }
        if given.has("json") {
            StandardStream.output.write(rows.map { $0.canonicalText + "\n" }.joined())
        } else {
            var table = ColumnTable(
                ["SCHEDULE", "STATUS", "NEXT", "AMOUNT", "PAID", "CUSTOMER", "REFERENCE"],
                rightAligned: [3, 4]
            )
            for row in rows {
                table.add([
                    Cell.text(row["id"]), Cell.text(row["status"]), Cell.time(row["nextAt"]),
                    Cell.money(row["amount"]),
                    String(row["paid"]?.integer ?? 0), Cell.text(row["customer"]), Cell.text(row["reference"]),
                ])
            }
            StandardStream.output.write(table.text(orSay: "there is no such schedule"))
        }
        if next != nil { StandardStream.error.write("there are more; --limit shows them\n") }
        return 0
    }

    private static func query(_ given: ScatteredArguments) throws -> ScheduleQuery {
        var query = ScheduleQuery()
        query.customer = given["customer"]
        if let word = given["status"] {
            guard let status = ScheduleStatus(rawValue: word) else {
                let known = ScheduleStatus.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("there is no status '\(word)'; there are \(known)")
            }
            query.status = status
        }
        if let text = given["instrument"] {
            guard let id = InstrumentId(text) else { throw UsageError("'\(text)' is no instrument's id") }
            query.instrument = id
        }
        if let text = given["before"] {
            guard let time = Timestamp(text) else { throw UsageError("'\(text)' is no time, as 2027-01-31T12:00:00Z") }
            query.nextBefore = time
            query.order = .nextRun
        }
        query.limit = try given.integer("limit", in: 1...10_000) ?? standardLimit
        return query
    }
}
