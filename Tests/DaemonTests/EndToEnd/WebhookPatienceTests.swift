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
            _ = try await stage.found("an operator is told") { try await Self.openItem(stage, daemon) }
            let item = try #require(try await Self.openItem(stage, daemon))
            #expect(item["reason"] == "webhook_disabled" && item["detail"] == "failing" && item["owner"] == "operator")
            #expect(item["id"] == made["id"])
            try await stage.call(daemon, .post, path + "/enable", [:], key: "enable")
            _ = try await stage.found("the item is closed") {
                try await Self.openItem(stage, daemon) == nil ? true : nil
            }
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

    private static func openItem(_ stage: Stage, _ daemon: DaemonProcess) async throws -> Json? {
        let items = try await stage.call(daemon, .get, "/v1/operations/unresolved")["matters"]?.items ?? []
        return items.first { $0["kind"] == "webhook" }
    }

    /// A test event that is refused is over: it waits for nothing, and says nothing against the endpoint.
    @Test func `refused test events stop nothing`() async throws {
        try await Stage.webhooks("hookspings") { stage, daemon, receiver in
            receiver.answer(.status(500))
            let made = try await stage.endpoint(daemon, receiver, ["types": ["payment.created"]])
            let path = "/v1/webhook-endpoints/\(try #require(made["id"]?.text))"
            for _ in 0..<3 { try await stage.call(daemon, .post, path + "/ping", [:]) }
            _ = try await stage.found("all three are over") {
                let items =
                    try await stage.call(daemon, .get, path + "/deliveries?status=givenUp")["items"]?.items ?? []
                return items.count == 3 ? items : nil
            }
            #expect(receiver.heard.count == 3, "each was tried once")
            #expect(try await stage.count("paystream.webhook_cursor WHERE failing_since IS NOT NULL") == 0)

            receiver.answer(.late(.seconds(8)))
            var statuses: [Int] = []
            for _ in 0..<12 { statuses.append(try await stage.exchange(daemon, .post, path + "/ping", [:]).status) }
            #expect(statuses == Array(repeating: 202, count: 10) + [409, 409])
            receiver.answer(.status(410))
            _ = try await stage.found("those that wait are over") {
                let items =
                    try await stage.call(daemon, .get, path + "/deliveries?status=waiting")["items"]?.items ?? []
                return items.isEmpty ? true : nil
            }
            #expect(try await stage.call(daemon, .get, path)["status"] == "enabled")
            receiver.answer(.status(200))
            let payment = try await stage.created(daemon, "behind-pings")
            _ = try await stage.wait(for: receiver) { $0.contains { $0.resource == payment } }
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
