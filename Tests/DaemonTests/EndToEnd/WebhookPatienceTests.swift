import Http
import Kernel
import TestKit
import Testing

/// An endpoint that failed for days, and what becomes of it when somebody enables it again.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct WebhookPatienceTests {
    @Test func `what failed for five days is disabled, and whoever enables it gives it the time anew`() async throws {
        try await Stage.webhooks("hookspatience") { stage, daemon, _ in
            let broken = try WebhookReceiver(.status(500))
            let made = try await stage.endpoint(daemon, broken, ["types": ["payment.created"]])
            let path = "/v1/webhook-endpoints/\(try #require(made["id"]?.text))"
            _ = try await stage.created(daemon, "patience")
            _ = try await stage.wait(for: broken) { !$0.isEmpty }
            _ = try await stage.found("the failure is written down") {
                let items = try await stage.call(daemon, .get, path + "/deliveries")["items"]?.items ?? []
                return items.first?["attempts"]?.integer == 0 ? nil : items.first
            }
            try await stage.execute("UPDATE paystream.webhook_cursor SET failing_since = now() - interval '6 days'")
            _ = try await stage.found("it is disabled") {
                let shown = try await stage.call(daemon, .get, path)
                return shown["disabledReason"] == "failing" ? shown : nil
            }
            try await stage.call(daemon, .post, path + "/enable", [:], key: "enable")
            for _ in 0..<8 {
                try await Task.sleep(for: .milliseconds(500))
                #expect(try await stage.call(daemon, .get, path)["disabledReason"] == nil, "it stays enabled")
            }
            let audit = try await stage.call(daemon, .get, "/v1/audit")
            let secrets = Self.members(named: "secret", of: audit)
            let areNames = secrets.allSatisfy { $0.items?.allSatisfy { $0.text != nil } == true }
            #expect(!secrets.isEmpty && areNames, "names alone")
            await broken.stop()
        }
    }

    /// The values of all members of a name, however deep.
    private static func members(named name: String, of json: Json) -> [Json] {
        switch json {
        case .object(let object):
            object.members.flatMap { member in
                (member.name == name ? [member.value] : []) + members(named: name, of: member.value)
            }
        case .array(let items): items.flatMap { members(named: name, of: $0) }
        case .null, .bool, .number, .string: []
        }
    }
}
