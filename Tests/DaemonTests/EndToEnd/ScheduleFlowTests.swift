import Glibc
import Http
import Kernel
import Postgres
import Schedules
import TestKit
import Testing

/// A saved card is charged on the calendar: daemons as processes, PostgreSQL, and ecommpay's sandbox with its own ledger.
@Suite(.serialized) struct ScheduleFlowTests {
    private static let settings: Json = ["gateTokenPaths": ["sale": "/v2/payment/card/sale/token"]]

    /// A monthly rule whose first occurrence is so many seconds away by the database's clock.
    private func rule(_ stage: Stage, inSeconds seconds: Int64) async throws -> (rule: Json, at: Timestamp) {
        let rows = try await stage.withDatabase { connection in
            try await connection.query("SELECT now()") { row throws(PostgresFailure) in try row.timestamp(0) }
        }
        let now = try #require(rows.first)
        let due = Timestamp(seconds: now.seconds + seconds)
        // Moscow's clocks are three hours ahead, all year.
        let local = due.adding(.seconds(3 * 3600)).description
        let rule: Json = [
            "period": "month", "start": .string(String(local.prefix(10))),
            "time": .string(String(local.dropFirst(11).prefix(8))), "zone": "Europe/Moscow",
        ]
        return (rule, due)
    }

    /// Registers a schedule and pays for the first time with a card that is kept.
    private func subscribe(_ stage: Stage, _ daemon: DaemonProcess, inSeconds seconds: Int64) async throws
        -> (id: String, at: Timestamp)
    {
        let (rule, due) = try await rule(stage, inSeconds: seconds)
        let body: Json = [
            "kind": "regular", "amount": Stage.euros(7700), "customer": "customer-7", "reference": "sub-1",
            "details": ["payer": ["email": "payer@example.org"]], "rule": rule,
        ]
        let made = try await stage.call(daemon, .post, "/v1/schedules", body, key: "subscribe")
        let id = try #require(made["id"]?.text)
        let first = Stage.newPayment(
            "first",
            7700,
            more: [("customer", "customer-7"), ("schedule", .string(id))]
        )
        let payment = try await stage.call(daemon, .post, "/v1/payments", first, key: "first-payment")
        let paymentId = try #require(payment["id"]?.text)
        try await stage.openPage(daemon, paymentId)
        try await stage.wait(daemon, paymentId, for: "captured")
        return (id, due)
    }

    private func wait(_ stage: Stage, _ daemon: DaemonProcess, _ id: String, _ what: String, _ holds: (Json) -> Bool)
        async throws -> Json
    {
        try await stage.until("\(id): \(what)") {
            let found = try await stage.call(daemon, .get, "/v1/schedules/\(id)")
            return holds(found) ? .done(found) : .notYet(found.canonicalText)
        }
    }

    /// The one payment that the schedule made, as the read model lists it.
    private func charge(_ stage: Stage, _ daemon: DaemonProcess) async throws -> String {
        try await stage.until("the read model lists one charge") {
            let list = try await stage.call(daemon, .get, "/v1/payments?reference=sub-1")
            let ids = (list["items"]?.items ?? []).compactMap { $0["id"]?.text }
            return ids.count == 1 ? .done(ids[0]) : .notYet("\(ids)")
        }
    }

    @Test func `a saved card is charged once when its day has come, by whichever node, and again next month`()
        async throws
    {
        try await Stage.run("schedule", settings: Self.settings) { stage, daemon in
            let other = try await stage.serve()
            let (id, due) = try await subscribe(stage, daemon, inSeconds: 12)
            let active = try await wait(stage, daemon, id, "is active") { $0["status"] == "active" }
            #expect(active["nextAt"] == .string(due.description))
            let paid = try await wait(stage, other, id, "was paid") { $0["paid"] == 1 }
            #expect(paid["collected"] == 7700)
            let next = try #require(paid["nextAt"]?.text.flatMap { Timestamp($0) })
            #expect((27...31).contains(next.since(due).components.seconds / 86_400))
            let charge = try await charge(stage, daemon)
            #expect(try await stage.ledger(try await stage.providerName(daemon, charge)) == ["charge 7700"])
            let due1 = try await stage.command(["schedules", "--merchant", "demo", "due"])
            #expect(due1.contains(id))
            try await stage.verifyReplay()
        }
    }

    @Test func `a daemon that was dead when the day came charges once when it is back`() async throws {
        try await Stage.run("scheduleoutage", settings: Self.settings) { stage, daemon in
            let (id, due) = try await subscribe(stage, daemon, inSeconds: 8)
            _ = try await wait(stage, daemon, id, "is active") { $0["status"] == "active" }
            try await stage.end(daemon, SIGKILL)
            try await stage.until("the day has come") {
                let passed = try await stage.count("(SELECT 1 WHERE now() > '\(due.description)'::timestamptz) x")
                return passed == 1 ? .done(()) : .notYet("not yet")
            }
            let back = try await stage.serve(onPortOf: daemon)
            let paid = try await wait(stage, back, id, "was paid") { $0["paid"] == 1 }
            #expect(paid["collected"] == 7700)
            let charge = try await charge(stage, back)
            #expect(try await stage.ledger(try await stage.providerName(back, charge)) == ["charge 7700"])
            try await stage.verifyReplay()
        }
    }
}
