import Glibc
import Http
import Kernel
import Testing

/// A real database that is restored to the middle of a batch and to before a schedule's day, while the providers go on.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct RestoredWorkTests {
    private static let settings: Json = [
        "absenceSeconds": 2, "gateTokenPaths": ["sale": "/v2/payment/card/sale/token"],
    ]

    /// A schedule whose first charge is some seconds away, with its card.
    private func subscribe(_ stage: Stage, _ daemon: DaemonProcess, inSeconds seconds: Int64) async throws -> String {
        let body: Json = [
            "kind": "regular", "amount": Stage.euros(7700), "customer": "customer-7", "reference": "sub-1",
            "details": ["payer": ["email": "payer@example.org"]],
            "rule": try await stage.rule(every: "month", inSeconds: seconds),
        ]
        let id = try await stage.schedule(daemon, "restored", body)
        let more: [(String, Json)] = [("customer", "customer-7"), ("schedule", .string(id))]
        let first = Stage.newPayment("first", 7700, more: more)
        let payment = try await stage.call(daemon, .post, "/v1/payments", first, key: "first-payment")
        let name = try #require(payment["id"]?.text)
        try await stage.openPage(daemon, name)
        try await stage.wait(daemon, name, for: "captured")
        try await stage.wait(daemon, schedule: id, "is active") { $0["status"] == "active" }
        return id
    }

    private func charge(_ stage: Stage, _ daemon: DaemonProcess, _ schedule: String) async throws -> String {
        try await stage.wait(daemon, schedule: schedule, "was paid") { $0["paid"] == 1 }
        return try await stage.until("the read model lists the charge") {
            let list = try await stage.call(daemon, .get, "/v1/payments?reference=sub-1")
            let ids = (list["items"]?.items ?? []).compactMap { $0["id"]?.text }
            return ids.count == 1 ? .done(ids[0]) : .notYet("\(ids)")
        }
    }

    @Test func `a batch waits for a person, and a schedule's day is charged once`() async throws {
        try await Stage.run("e2erestorework", settings: Self.settings) { stage, daemon in
            let schedule = try await subscribe(stage, daemon, inSeconds: 25)
            let source = try await stage.addBills(daemon, ["perCall": 2, "callsInFlight": 1, "spacingMs": 1500])
            let ids = (1...8).map { "r-\($0)" }
            let batch = try await stage.submitBills(daemon, source, ids, name: "restored")
            try await stage.waitPaid(2)
            let dump = try await stage.dump()
            let atDump = try await stage.control("/portmone/sandbox/bills")["paid"]?.integer ?? 0
            #expect(atDump < 8, "the batch goes on behind the dump")
            try await stage.waitBatch(daemon, batch, for: ["completed"])
            let charged = try await charge(stage, daemon, schedule)
            let name = try await stage.providerName(daemon, charged)
            #expect(try await stage.ledger(name) == ["charge 7700"])
            try await stage.end(daemon, SIGKILL)
            try await stage.restore(dump)
            try await stage.command(["recover", "--reason", "the disk was lost", "begin"])
            let next = try await stage.serve(onPortOf: daemon)
            let paused = try await stage.waitBatch(next, batch, for: ["paused"])
            #expect(paused["trouble"] == "log_restored")
            // Its second life, as a client begins it that is not sure: the same batch, which still waits.
            #expect(try await stage.submitBills(next, source, ids, name: "restored") == batch)
            #expect(try await charge(stage, next, schedule) == charged)
            #expect(try await stage.ledger(name) == ["charge 7700"])
            let bills = try await stage.control("/portmone/sandbox/bills")
            #expect(bills["paid"] == 8)
            #expect(bills["repeated"] == [])
            #expect(try await stage.call(next, .get, "/v1/bill-batches/\(batch)")["status"] == "paused")
            try await stage.verifyReplay()
        }
    }
}
