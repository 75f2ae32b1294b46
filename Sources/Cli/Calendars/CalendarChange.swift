import Api
import Daemon
import Decisions
import Engine
import EventSourcing
import Kernel
import Projections
import Schedules
import Store
import SystemKit

/// Shows what newer zone data or holidays would move, and tells every schedule that they hold now.
struct CalendarChange {
    let session: StoreSession
    /// Occurrences of a schedule that are looked at.
    private static let lookedAt = 12
    /// A node may go on with what it knew for a second.
    private static let knownElsewhere = Duration.seconds(2)
    /// Inputs of one call.
    private static let page = 500

    struct Move: Sendable {
        let schedule: ScheduleId
        let ordinal: Int
        let before: Timestamp
        let after: Timestamp
    }

    /// The next occurrences that change places.
    func moves(of schedules: [StreamName], _ data: (ScheduleRule) async throws -> (CalendarData, CalendarData)?)
        async throws -> [Move]
    {
        var moves: [Move] = []
        let reader = session.reader
        for stream in schedules {
            let id = ScheduleId(stream.id)
            guard let schedule = try await reader.schedule(id, merchant: stream.merchant)?.schedule,
                let rule = schedule.terms?.rule, let (old, new) = try await data(rule)
            else { continue }
            let first = max(1, schedule.ruleOrdinal(schedule.open.keys.min() ?? schedule.next))
            for moved in rule.moved(first...(first + Self.lookedAt - 1), from: old, to: new) {
                moves.append(
                    Move(
                        schedule: id,
                        ordinal: moved.before.ordinal + schedule.base,
                        before: moved.before.at,
                        after: moved.after.at
                    )
                )
            }
        }
        return moves
    }

    static func show(_ moves: [Move], asJson: Bool) {
        if asJson {
            for move in moves {
                let line: Json = [
                    "after": move.after.json, "before": move.before.json, "ordinal": .integer(Int64(move.ordinal)),
                    "schedule": move.schedule.json,
                ]
                StandardStream.output.write(line.canonicalText + "\n")
            }
            return
        }
        var table = ColumnTable(["SCHEDULE", "OCCURRENCE", "BEFORE", "AFTER"], rightAligned: [1])
        for move in moves {
            table.add([move.schedule.text, String(move.ordinal), Cell.time(move.before), Cell.time(move.after)])
        }
        StandardStream.output.write(table.text(orSay: "no occurrence moves"))
    }

    /// Tells each schedule that may be planned by other data; who was told before hears nothing new.
    func tell(_ adoption: CalendarAdoption, adoptedAt: Timestamp, _ affected: () async throws -> [StreamName])
        async throws -> Int
    {
        // Whoever planned by the old data meanwhile is in the read model afterwards.
        try await Task.sleep(for: Self.knownElsewhere)
        try await catchUp()
        let schedules = try await affected()
        let now = try await session.store.now()
        var rest = schedules[...]
        while !rest.isEmpty {
            let page = rest.prefix(Self.page)
            rest = rest.dropFirst(Self.page)
            let inputs = page.map { adoption.input(for: $0, adoptedAt: adoptedAt, by: "operator", at: now) }
            _ = try await session.store.admit(inputs)
        }
        return schedules.count
    }

    /// Brings the read model to where the log ends now.
    func catchUp() async throws { try await session.views.schedules.catchUp() }
}
