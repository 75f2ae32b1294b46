import Http
import Kernel
import Testing

/// Acts whose effect stands in tables of their own, and keys that end: a daemon as a process, PostgreSQL.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct AuditFlowTests {
    @Test func `clocks, dunning policies and closed months are acts with their actor`() async throws {
        try await Stage.run("auditmore") { stage, daemon in
            _ = try await stage.paid(daemon, "before", 7700)
            let month = try await stage.text(
                "SELECT to_char(now() AT TIME ZONE 'UTC' - interval '1 month', 'YYYY-MM')"
            )
            _ = try await stage.until("the month can be closed") {
                let answer = try await stage.exchange(daemon, .put, "/v1/periods/\(month)", ["note": "done"])
                return answer.status == 200
                    ? .done(()) : .notYet("\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
            }
            for _ in 0..<2 {
                try await stage.call(daemon, .put, "/v1/dunning-policies/gentle", ["giveUp": "mark"])
                try await stage.call(daemon, .put, "/v1/periods/\(month)", ["note": "again"])
            }
            try await stage.call(daemon, .put, "/v1/dunning-policies/gentle", ["giveUp": "cancel"])
            let start = "2040-01-01T00:00:00.000000Z"
            try await stage.call(daemon, .put, "/v1/clock", ["at": .string(start)])
            try await stage.call(daemon, .put, "/v1/clock", [:])
            let target = "2040-01-02T00:00:00.000000Z"
            try await stage.call(daemon, .post, "/v1/clock/advance", ["to": .string(target)])

            let acts = try await stage.call(daemon, .get, "/v1/audit?limit=100")["items"]?.items ?? []
            func data(_ kind: String, _ member: String) -> [Json] {
                acts.filter { $0["kind"]?.text == kind }.compactMap { $0.at("data", member) }
            }
            #expect(data("period.closed.v1", "month") == [.string(month)])
            #expect(data("dunning.kept.v1", "version") == [2, 1] && data("dunning.kept.v1", "name").first == "gentle")
            #expect(data("clock.owned.v1", "start") == [.string(start)])
            #expect(data("clock.sent.v1", "to") == [.string(target)])
            let keys = try await stage.call(daemon, .get, "/v1/keys")["items"]?.items ?? []
            let own = "key:" + (keys.first { $0["name"] == "end-to-end" }?["id"]?.text ?? "?")
            for kind in ["period", "dunning", "clock"] {
                let found = try await stage.call(daemon, .get, "/v1/audit?kind=\(kind)")["items"]?.items ?? []
                #expect(!found.isEmpty && found.allSatisfy { $0["by"]?.text == own }, "\(kind)")
            }
            #expect(try await stage.tool(daemon, ["audit", "--kind", "period"]).contains(month))
            try await stage.verifyReplay()
        }
    }

    @Test func `a merchant whose making was cut short is made to its end, once`() async throws {
        try await Stage.run("halfmade") { stage, _ in
            try await stage.execute("INSERT INTO paystream.merchant (name) VALUES ('half')")
            try await stage.command(["merchants", "create", "half"])
            await #expect(throws: DaemonProcess.Failure.self) {
                try await stage.command(["merchants", "create", "half"])
            }
            let half = "SELECT id FROM paystream.merchant WHERE name = 'half'"
            let made = "paystream.event WHERE type LIKE 'merchant.created%' AND merchant = (\(half))"
            #expect(try await stage.count(made) == 1)
        }
    }

    @Test func `the doctor warns before the last key that administers ends, and where it has`() async throws {
        try await Stage.run("doctorends") { stage, _ in
            func told() async throws -> String {
                let printed = try await stage.command(["doctor", "--json"])
                let lines = printed.split(separator: "\n").compactMap { try? Json(text: String($0)) }
                let line = lines.first { $0["what"] == "keys of ends" }
                return "\(line?["verdict"]?.text ?? "none") \(line?["detail"]?.text ?? "")"
            }
            func make(_ name: String, _ more: [String]) async throws {
                try await stage.command(["keys", "--merchant", "ends"] + more + ["create", name])
            }
            try await stage.command(["merchants", "create", "ends"])
            #expect(try await told() == "none ")
            try await make("reader", ["--role", "auditor"])
            #expect(try await told() == "none ")
            try await make("soon", ["--role", "admin", "--days", "10"])
            #expect(try await told().hasPrefix("warning the last one that administers expires"))
            try await stage.execute(
                "UPDATE paystream.api_key SET expires_at = now() - interval '1 day' WHERE name = 'soon'"
            )
            #expect(try await told().hasPrefix("warning the last one that administers expired"))
            try await make("later", ["--role", "admin", "--days", "40"])
            #expect(try await told().hasPrefix("ok one that administers goes on"))
            try await make("ever", ["--scopes", "admin"])
            #expect(try await told() == "ok a key that administers has no end")
        }
    }
}
