import Glibc
import Http
import Kernel
import TestKit
import Testing

/// `paystream schedules` and `paystream clock`, each verb against a daemon, PostgreSQL and the sandbox.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SchedulesCommandTests {
    private static let settings: Json = ["gateTokenPaths": ["sale": "/v2/payment/card/sale/token"]]

    private func json(_ text: String) throws -> Json {
        let lines = text.split(separator: "\n")
        return try Json(text: String(try #require(lines.first)))
    }

    @Test func `a schedule lives its whole life by the command line`() async throws {
        try await Stage.run("schedulescli", settings: Self.settings) { stage, daemon in
            func schedules(_ words: String...) async throws -> String {
                try await stage.tool(daemon, ["schedules", "--merchant", "demo"] + words)
            }
            let owned = try json(try await stage.tool(daemon, ["clock", "--json", "own", "2028-01-01T00:00:00Z"]))
            #expect(owned["at"] == "2028-01-01T00:00:00.000000Z")
            // A node may believe for a second that nobody owns a clock.
            try await Task.sleep(for: .seconds(1))
            let gentle: Json = ["giveUp": "mark"]
            let kept = try json(try await schedules("--json", "policy", "gentle", try stage.file("gentle", gentle)))
            #expect(kept["version"] == 1)
            #expect(try await schedules("policies").contains("gentle"))

            let rule: Json = ["period": "month", "start": "2028-01-31", "time": "10:00", "zone": "Europe/Kyiv"]
            let body: Json = [
                "kind": "regular", "amount": Stage.euros(7700), "customer": "customer-7", "reference": "sub-1",
                "details": ["payer": ["email": "payer@example.org"]], "rule": rule, "policy": ["dunning": "gentle"],
            ]
            let rulePreview = try stage.file("preview", ["rule": rule, "count": 2])
            #expect(try await schedules("preview", rulePreview).contains("2028-02-29"))
            let made = try json(try await schedules("--json", "--key", "cli", "add", try stage.file("add", body)))
            let id = try #require(made["id"]?.text)
            let first = Stage.newPayment("first", 7700, more: [("customer", "customer-7"), ("schedule", .string(id))])
            let payment = try await stage.call(daemon, .post, "/v1/payments", first, key: "first-payment")
            let paymentId = try #require(payment["id"]?.text)
            try await stage.openPage(daemon, paymentId)
            try await stage.wait(daemon, paymentId, for: "captured")
            try await stage.wait(daemon, schedule: id, "is active") { $0["status"] == "active" }

            try await steer(stage, id, schedules: schedules)
            let moved = try json(try await stage.tool(daemon, ["clock", "--json", "advance", "2028-03-05T00:00:00Z"]))
            #expect(moved["travellingTo"] == nil && moved["at"] == "2028-03-05T00:00:00.000000Z")
            #expect(try await stage.tool(daemon, ["clock", "show"]).contains("2028-03-05"))
            #expect(try await stage.tool(daemon, ["clock"]).contains("2028-03-05"))

            let became = try await schedules("occurrences", id)
            #expect(became.contains("succeeded") && became.contains("planned") && became.contains("pay_"))
            let lines = try await schedules("--json", "--limit", "1", "occurrences", id).split(separator: "\n")
            #expect(try json(String(lines[0]))["state"] == "succeeded")
            let present = try stage.file("run", ["presence": "customerPresent", "ordinal": 3])
            let ran = try json(try await schedules("--json", "run", id, present))
            #expect(ran["occurrences"]?.items?.first?["state"] == "inFlight", "\(ran.canonicalText)")
            let over = try json(
                try await schedules("--json", "cancel", id, try stage.file("cancel", ["reason": "moved"]))
            )
            #expect(over["status"] == "cancelled" && over.at("cause", "reason") == "moved")
            try await stage.verifyReplay()
            try await stage.verifyViews()
        }
    }

    /// Everything that leaves the schedule active.
    private func steer(_ stage: Stage, _ id: String, schedules: (String...) async throws -> String) async throws {
        #expect(try await schedules("due").contains(id))
        let shown = try json(try await schedules("--json", "show", id))
        #expect(shown["id"] == .string(id) && shown.at("policy", "dunning", "name") == "gentle")
        let change = try stage.file("change", ["amount": Stage.euros(8800)])
        #expect(try json(try await schedules("--json", "change", id, change)).at("amount", "value") == 8800)
        let paused = try json(
            try await schedules("--json", "pause", id, try stage.file("pause", ["reason": "holiday"]))
        )
        #expect(paused["status"] == "paused" && paused.at("cause", "reason") == "holiday")
        let resumed = try json(
            try await schedules("--json", "resume", id, try stage.file("resume", ["missed": "catchUp"]))
        )
        #expect(resumed["status"] == "active" && resumed["cause"] == nil)
        let preview = try json(try await schedules("--json", "preview", id))
        #expect(preview["items"]?.items?.first?.at("amount", "value") == 8800)
        try await stage.until("the read model lists it") {
            let listed = try await schedules("--status", "active", "--customer", "customer-7", "list")
            return listed.contains(id) ? .done(()) : .notYet(listed)
        }
        #expect(try await schedules("--before", "2028-01-01T00:00:00Z", "list").contains("no such schedule"))
    }

    @Test func `words that make no sense are refused before a daemon is asked`() async throws {
        try await Stage.run("scheduleswords") { stage, daemon in
            for words in [
                ["change", "sch_1", "/dev/null"], ["change"], ["show", "pay_1"], ["pause"], ["fly", "x"],
                ["policy", "gentle"], ["policy", "a/b", "/dev/null"],
                ["run", "sch_8140c15c3bb95a4193c003f1f45fe70e", "a", "b"],
            ] {
                await #expect(throws: (any Error).self, "\(words)") {
                    _ = try await stage.tool(daemon, ["schedules"] + words)
                }
            }
        }
    }
}
