import Glibc
import Http
import Kernel
import Schedules
import TestKit
import Testing

/// A year of billing on a merchant's own clock: two daemons, PostgreSQL, and ecommpay's sandbox with its own ledger.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct TestClockFlowTests {
    private static let settings: Json = ["gateTokenPaths": ["sale": "/v2/payment/card/sale/token"]]

    /// Takes a clock, registers a monthly series on it and pays for the first time with a card that is kept.
    private func subscribe(_ stage: Stage, _ daemon: DaemonProcess, from start: String) async throws -> String {
        try await stage.call(daemon, .put, "/v1/clock", ["at": .string(start + "T00:00:00Z")])
        // A node may believe for a second that nobody owns a clock.
        try await Task.sleep(for: .seconds(1))
        let body: Json = [
            "kind": "regular", "amount": Stage.euros(7700), "customer": "customer-7", "reference": "sub-1",
            "details": ["payer": ["email": "payer@example.org"]],
            "rule": [
                "period": "month", "anchorDay": 31, "start": .string(start), "time": "10:00", "zone": "Europe/Kyiv",
            ],
        ]
        let made = try await stage.call(daemon, .post, "/v1/schedules", body, key: "subscribe")
        let id = try #require(made["id"]?.text)
        let first = Stage.newPayment("first", 7700, more: [("customer", "customer-7"), ("schedule", .string(id))])
        let payment = try await stage.call(daemon, .post, "/v1/payments", first, key: "first-payment")
        let paymentId = try #require(payment["id"]?.text)
        try await stage.openPage(daemon, paymentId)
        try await stage.wait(daemon, paymentId, for: "captured")
        try await stage.until("the series is active") {
            let found = try await stage.call(daemon, .get, "/v1/schedules/\(id)")
            return found["status"] == "active" ? .done(()) : .notYet(found.canonicalText)
        }
        return id
    }

    /// Moves the clock over one daemon's API, and waits at the other's until it has arrived.
    private func advance(_ stage: Stage, _ daemon: DaemonProcess, _ other: DaemonProcess, to text: String) async throws
    {
        try await stage.call(daemon, .post, "/v1/clock/advance", ["to": .string(text)])
        try await arrived(stage, other)
    }

    private func arrived(_ stage: Stage, _ daemon: DaemonProcess) async throws {
        try await stage.until("the clock has arrived") {
            let clock = try await stage.call(daemon, .get, "/v1/clock")
            return clock["travellingTo"] == nil ? .done(()) : .notYet(clock.canonicalText)
        }
    }

    @Test func `of a year of billing on two daemons, one of them killed, each month is charged once`() async throws {
        try await Stage.run("testclock", settings: Self.settings) { stage, daemon in
            let other = try await stage.serve()
            let id = try await subscribe(stage, daemon, from: "2028-01-01")
            try await advance(stage, daemon, other, to: "2028-06-01T00:00:00Z")
            try await stage.end(other, SIGKILL)
            let back = try await stage.serve(onPortOf: other)
            try await advance(stage, daemon, back, to: "2029-01-01T00:00:00Z")
            let schedule = try await stage.call(daemon, .get, "/v1/schedules/\(id)")
            #expect(schedule["paid"] == 12 && schedule["collected"] == .integer(12 * 7700), "\(schedule.canonicalText)")
            #expect(schedule["nextAt"] == "2029-01-31T08:00:00.000000Z")
            let ledger = try await stage.control("/sandbox/ledger?project=\(Stage.project)")["entries"]?.items ?? []
            #expect(ledger.count == 13, "twelve months, and the first payment")
            let deadlines = try await stage.count("paystream.effect WHERE send_before > now() + interval '2 days'")
            #expect(deadlines == 0, "what goes to the provider lives by the server's clock")
            try await stage.verifyReplay()
            try await stage.verifyViews()
        }
    }

    @Test func `a binding whose bank counts the days between two debits is charged each month of such a year`()
        async throws
    {
        try await Stage.run("testclocksber") { stage, daemon in
            try await stage.addSberPay(daemon, "ecom")
            try await stage.call(daemon, .put, "/v1/clock", ["at": "2028-01-01T00:00:00Z"])
            // A node may believe for a second that nobody owns a clock.
            try await Task.sleep(for: .seconds(1))
            let body: Json = [
                "account": "sberpay-ecom", "amount": Stage.roubles(700), "customer": "cust-1", "kind": "regular",
                "mandate": ["expiresOn": "2028-12-01", "minimumDays": 14],
                "details": ["payer": ["email": "payer@example.org"]],
                "rule": [
                    "period": "month", "anchorDay": 31, "start": "2028-01-31", "time": "10:00",
                    "zone": "Europe/Moscow",
                ],
            ]
            let id = try await stage.schedule(daemon, "year", body)
            let first = try await stage.sberPay(daemon, "first", 700, [("schedule", .string(id))])
            try await stage.press(daemon, first, ["save"])
            try await stage.wait(daemon, schedule: id, "is active") { $0["status"] == "active" }
            for month in 1...11 {
                // The bank's calendar is its own: it is told that a month has gone by.
                try await stage.control("/sberpay/sandbox/calendar", ["days": 31])
                let next = "2028-\(month < 9 ? "0" : "")\(month + 1)-02T00:00:00Z"
                try await advance(stage, daemon, daemon, to: next)
                let seen = try await stage.call(daemon, .get, "/v1/schedules/\(id)")
                #expect(seen["paid"] == .integer(Int64(month)), "\(next): \(seen.canonicalText)")
            }
            let ledger = try await stage.control("/sberpay/sandbox/ledger")["entries"]?.items ?? []
            #expect(ledger.count == 12, "eleven months, and the first payment")
            let payments = try await stage.count("paystream.event WHERE type = 'payment.created.v1'")
            #expect(payments == 12, "none was refused or tried again")
            try await stage.verifyReplay()
        }
    }

    @Test func `a card that ends is noticed a period ahead, and its series pauses instead of charging`() async throws {
        try await Stage.run("testclockcard", settings: Self.settings) { stage, daemon in
            // The sandbox's cards end with November 2030.
            let id = try await subscribe(stage, daemon, from: "2030-10-01")
            try await advance(stage, daemon, daemon, to: "2030-12-01T00:00:00Z")
            let before = try await stage.call(daemon, .get, "/v1/schedules/\(id)")
            #expect(before["paid"] == 2 && before["status"] == "active", "\(before.canonicalText)")
            #expect(try await stage.count("paystream.event WHERE type = 'schedule.instrument_expiry_noticed.v1'") == 1)
            try await advance(stage, daemon, daemon, to: "2031-02-01T00:00:00Z")
            let after = try await stage.call(daemon, .get, "/v1/schedules/\(id)")
            #expect(after["paid"] == 2 && after["status"] == "paused", "\(after.canonicalText)")
        }
    }

    @Test func `a merchant with a clock takes no account that is not in test mode, and the clock never goes back`()
        async throws
    {
        try await Stage.run("testclockrules") { stage, daemon in
            let made = try await stage.exchange(daemon, .put, "/v1/clock", [:])
            #expect(made.status == 201)
            let live: Json = [
                "mode": "live", "name": "live", "provider": "ecommpay", "secrets": ["secretKey": "x"],
                "settings": ["currencies": ["EUR"], "projectId": 7],
            ]
            let refused = try await stage.exchange(daemon, .post, "/v1/accounts", live, key: "live")
            #expect(refused.status == 409)
            try await stage.call(daemon, .post, "/v1/clock/advance", ["to": "2031-01-01T00:00:00Z"])
            let back = try await stage.exchange(daemon, .post, "/v1/clock/advance", ["to": "2030-01-01T00:00:00Z"])
            #expect(back.status == 409)
            try await arrived(stage, daemon)
            // A payment that asks its provider in a moment holds the clock up, and is named.
            try await stage.execute(
                """
                INSERT INTO paystream.due (machine, merchant, stream_kind, stream)
                    SELECT now() + interval '19 seconds', merchant, 1, gen_random_uuid() FROM paystream.merchant_clock
                """
            )
            try await stage.call(daemon, .post, "/v1/clock/advance", ["to": "2032-01-01T00:00:00Z"])
            let held = try await stage.call(daemon, .get, "/v1/clock")
            #expect(held["waitsFor"] == ["payments"] && held["travellingTo"] != nil, "\(held.canonicalText)")
            try await stage.execute("DELETE FROM paystream.due")
            try await arrived(stage, daemon)
        }
    }
}
