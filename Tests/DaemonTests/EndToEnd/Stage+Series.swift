import Http
import Kernel
import Postgres

/// Schedules on a stage.
extension Stage {
    /// A rule whose first occurrence is so many seconds away by the database's clock, in Moscow or in UTC.
    func rule(every period: String, inSeconds seconds: Int64, isUtc: Bool = false) async throws -> Json {
        let rows = try await withDatabase { connection in
            try await connection.query("SELECT now()") { row throws(PostgresFailure) in try row.timestamp(0) }
        }
        guard let now = rows.first else { throw Failure(description: "no time") }
        // Moscow's clocks are three hours ahead, all year.
        let local = Timestamp(seconds: now.seconds + seconds + (isUtc ? 0 : 3 * 3600)).description
        return [
            "period": .string(period), "start": .string(String(local.prefix(10))),
            "time": .string(String(local.dropFirst(11).prefix(8))), "zone": isUtc ? "UTC" : "Europe/Moscow",
        ]
    }

    func schedule(_ daemon: DaemonProcess, _ name: String, _ body: Json) async throws -> String {
        let made = try await call(daemon, .post, "/v1/schedules", body, key: "\(name)-schedule")
        guard let id = made["id"]?.text else { throw Failure(description: "no id in \(made.canonicalText)") }
        return id
    }

    @discardableResult
    func wait(_ daemon: DaemonProcess, schedule id: String, _ what: String, _ holds: (Json) -> Bool) async throws
        -> Json
    {
        try await until("\(id): \(what)") {
            let found = try await call(daemon, .get, "/v1/schedules/\(id)")
            return holds(found) ? .done(found) : .notYet(found.canonicalText)
        }
    }
}
