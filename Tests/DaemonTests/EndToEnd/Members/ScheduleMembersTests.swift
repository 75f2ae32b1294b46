import Daemon
import Http
import Kernel
import TestKit
import Testing

/// The members of acts on a schedule, one by one: each is shown by the schedule or its occurrence.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct ScheduleMembersTests {
    private static let settings: Json = ["gateTokenPaths": ["sale": "/v2/payment/card/sale/token"]]

    /// A series that begins in a month, active by a first payment with a card that is kept.
    private func subscribe(_ stage: Stage, _ daemon: DaemonProcess, _ name: String) async throws -> (
        schedule: String, card: String
    ) {
        let body: Json = [
            "amount": Stage.euros(7700), "customer": "customer-7", "kind": "regular", "reference": .string(name),
            "details": ["payer": ["email": "payer@example.org"]],
            "rule": try await stage.rule(every: "month", inSeconds: 30 * 86_400),
        ]
        let id = try await stage.schedule(daemon, name, body)
        let first = Stage.newPayment(name, 7700, more: [("customer", "customer-7"), ("schedule", .string(id))])
        let payment = try await stage.call(daemon, .post, "/v1/payments", first, key: "\(name)-first")
        let paid = try #require(payment["id"]?.text)
        try await stage.openPage(daemon, paid)
        try await stage.wait(daemon, paid, for: "captured")
        let active = try await stage.wait(daemon, schedule: id, "is active") { $0["status"] == "active" }
        return (id, try #require(active["instrument"]?.text))
    }

    @Test func `what is posted about a schedule's changes and pauses is shown`() async throws {
        try await Stage.run("e2echangemembers", settings: Self.settings) { stage, daemon in
            let (id, card) = try await subscribe(stage, daemon, "changed")
            let (_, other) = try await subscribe(stage, daemon, "other")
            let path = "/v1/schedules/\(id)"
            let rule: Json = [
                "every": 1, "period": "month", "start": "2099-01-31", "time": "11:30", "zone": "Europe/Moscow",
            ]
            let first = try #require(try await stage.call(daemon, .get, path)["nextAt"]?.text.flatMap { Timestamp($0) })
            let day = String(first.adding(.seconds(5 * 86_400)).description.prefix(10))
            let changes: [(String, Json)] = [
                ("amount", Stage.euros(8800)), ("instrument", .string(other)), ("fallback", .string(card)),
                ("nextDate", .string(day)), ("policy", ["catchUp": ["mode": "none"]]), ("rule", rule),
            ]
            for (member, value) in changes {
                let change = Json.object(JsonObject([(member, value)]))
                try await stage.call(daemon, .post, "\(path)/change", change, key: member)
                let shown = try await stage.call(daemon, .get, path)
                let found: Json? =
                    switch member {
                    case "nextDate": shown["occurrences"]?.items?.first?["date"]
                    case "policy": shown.at("policy", "catchUp", "mode") == "none" ? value : nil
                    case "rule": shown["nextAt"] == "2099-01-31T08:30:00.000000Z" ? value : nil
                    default: shown[member]
                    }
                #expect(found == value, "\(member): \(shown.canonicalText)")
            }
            try await stage.holdEvery(daemon, "ChangeSchedule", [.object(JsonObject(changes))])

            let pause: Json = ["reason": "the shop is closed"]
            try await stage.call(daemon, .post, "\(path)/pause", pause, key: "pause")
            let paused = try await stage.call(daemon, .get, path)
            #expect(paused["status"] == "paused" && paused.canonicalText.contains("the shop is closed"))
            try await stage.holdEvery(daemon, "PauseSchedule", [pause])
            let resume: Json = ["missed": "skip"]
            let unknown = try await stage.exchange(daemon, .post, "\(path)/resume", ["missed": "odd"], key: "odd")
            #expect(unknown.status == 422)
            #expect(try Json(unknown.body)["path"] == "missed")
            try await stage.call(daemon, .post, "\(path)/resume", resume, key: "resume")
            #expect(try await stage.call(daemon, .get, path)["status"] == "active")
            try await stage.holdEvery(daemon, "ResumeSchedule", [resume])
        }
    }

    @Test func `what is posted about a run is what is run`() async throws {
        try await Stage.run("e2erunmembers", settings: Self.settings) { stage, daemon in
            let (id, _) = try await subscribe(stage, daemon, "run")
            let run: Json = ["ordinal": 1, "presence": "customerPresent"]
            let path = "/v1/schedules/\(id)/run"
            let twelfth = try await stage.exchange(daemon, .post, path, run.setting(["ordinal"], 12), key: "other")
            #expect(twelfth.status / 100 == 4, "the twelfth is not the next")
            let priced = try await stage.exchange(
                daemon,
                .post,
                path,
                run.setting(["amount"], Stage.euros(6600)),
                key: "priced"
            )
            #expect(priced.status == 422, "a calendar has its own amount")
            #expect(try Json(priced.body)["path"] == "amount")
            try await stage.call(daemon, .post, path, run, key: "run")
            // Where the customer is present they are asked to pay by themselves.
            let asked = try await stage.wait(daemon, schedule: id, "asks its customer") { schedule in
                schedule["occurrences"]?.items?.first?["state"] == "stepUp"
            }
            let first = asked["occurrences"]?.items?.first
            #expect(first?["ordinal"] == 1 && first?.at("nextAction", "is") == "payment", "\(asked.canonicalText)")
            try await stage.holdEvery(daemon, "RunOccurrence", [run.setting(["amount"], Stage.euros(6600))])
        }
    }
}
