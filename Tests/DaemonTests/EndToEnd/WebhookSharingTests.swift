import Glibc
import Http
import Kernel
import Testing

/// Endpoints of webhooks are shared by the nodes that there are: daemons as processes, PostgreSQL, a receiver.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct WebhookSharingTests {
    private static let local = ["PAYSTREAM_WEBHOOK_NETWORKS": "127.0.0.0/8"]

    /// How many endpoints each node holds, the fewest first.
    private static func shares(_ stage: Stage) async throws -> String {
        try await stage.text(
            """
            SELECT coalesce(string_agg(held::text, ' ' ORDER BY held), '')
              FROM (SELECT count(*) AS held FROM paystream.webhook_cursor WHERE lease_until > now() GROUP BY owner) s
            """
        )
    }

    private static func wait(_ stage: Stage, for wanted: String) async throws {
        try await stage.until("nodes hold \(wanted)") {
            let shares = try await shares(stage)
            return shares == wanted ? .done(()) : .notYet(shares)
        }
    }

    @Test func `two nodes hold as many endpoints each, send each event once, and one takes over from the other`()
        async throws
    {
        try await Stage.webhooks("hooksshared") { stage, daemon, receiver in
            let endpoints = 5
            for _ in 0..<endpoints { _ = try await stage.endpoint(daemon, receiver, ["types": ["payment.created"]]) }
            try await Self.wait(stage, for: "5")
            let other = try await stage.serve(more: Self.local)
            try await Self.wait(stage, for: "2 3")
            for number in 1...3 { _ = try await stage.created(daemon, "shared-\(number)") }
            let told = try await stage.wait(for: receiver) { $0.count >= 3 * endpoints }
            #expect(Set(told.map(\.id)).count == 3)
            // One that leaves gives its share back at once, one that dies behind its lease.
            try await stage.end(other, SIGTERM)
            try await Self.wait(stage, for: "5")
            let third = try await stage.serve(more: Self.local)
            try await Self.wait(stage, for: "2 3")
            try await stage.end(third, SIGKILL)
            _ = try await stage.created(daemon, "shared-4")
            let all = try await stage.wait(for: receiver) { $0.count >= 4 * endpoints }
            try await Self.wait(stage, for: "5")
            let delivered = "paystream.webhook_delivery WHERE state = 2 AND attempts = 1"
            try await stage.until("all are written down") {
                let count = try await stage.count(delivered)
                return count == 4 * endpoints ? .done(()) : .notYet("\(count)")
            }
            #expect(all.count == 4 * endpoints && receiver.heard.count == 4 * endpoints, "each event once for each")
        }
    }
}
