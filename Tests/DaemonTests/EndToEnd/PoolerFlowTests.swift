import Glibc
import Http
import Kernel
import SystemKit
import TestKit
import Testing

/// Daemons whose address of the database leads through PgBouncer, by transactions.
@Suite(.timeLimit(.minutes(3)))
struct PoolerFlowTests {
    private static let payments = 20

    @Test func `two daemons behind a pooler pay, refund and never send twice`() async throws {
        try await Stage.run("e2epooler") { stage, direct in
            try await stage.end(direct, SIGTERM)
            try await stage.database.withPooler(sessions: 5) { address in
                let pooled = ["DATABASE_URL": address]
                let daemons = [try await stage.serve(more: pooled), try await stage.serve(more: pooled)]
                var ids: [String] = []
                for number in 0..<Self.payments {
                    ids.append(try await stage.open(daemons[number % 2], "pooled-\(number)", 7700))
                }
                for (number, id) in ids.enumerated() {
                    let other = daemons[(number + 1) % 2]
                    try await stage.wait(other, id, for: "captured")
                    try await stage.call(other, .post, "/v1/payments/\(id)/refund", [:], key: "refund-\(number)")
                }
                for (number, id) in ids.enumerated() {
                    let daemon = daemons[number % 2]
                    try await stage.wait(daemon, id, for: "refunded")
                    let entries = try await stage.ledger(try await stage.providerName(daemon, id))
                    #expect(entries == ["charge 7700", "refund 7700"])
                }
                for words in [["replay", "verify"], ["verify", "licences"]] {
                    try await stage.run(words, more: pooled)
                }
                for daemon in daemons { #expect(try await stage.end(daemon, SIGTERM) == .exited(0)) }
            }
            #expect(try await stage.count("paystream.effect WHERE state IN (1, 2)") == 0)
        }
    }

    @Test func `the schema is not migrated through a pooler, and says where it is`() async throws {
        try await Stage.run("e2epoolermigrate") { stage, _ in
            try await stage.database.withPooler(sessions: 2) { address in
                let failure = await #expect(throws: DaemonProcess.Failure.self) {
                    try await stage.run(["migrate"], more: ["DATABASE_URL": address])
                }
                let words = try #require(failure?.description)
                #expect(words.contains("leads through a pooler"), "\(words)")
            }
        }
    }
}
