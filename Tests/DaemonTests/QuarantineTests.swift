import Engine
import EventSourcing
import Http
import Kernel
import Postgres
import Store
import SystemKit
import Testing

@testable import Cli
@testable import Daemon

/// What `paystream quarantine` lists and opens.
@Suite(.timeLimit(.minutes(2)))
struct QuarantineTests {
    private static let stranger = Uuid(high: 0x57A, low: 1)

    /// Sends a notification to an account that nobody configured.
    private func refuse(_ body: [UInt8], _ harness: NodeHarness) async {
        _ = await harness.node.engine.notifications.receive(
            HttpRequest(method: .post, target: "/", body: body),
            provider: "ecommpay",
            merchant: harness.merchant,
            account: Self.stranger
        )
    }

    private func accesses(_ harness: NodeHarness) async throws -> [String] {
        try await harness.backend.query(
            "SELECT concat_ws(' ', merchant, stream_kind, stream, actor, action, detail) FROM paystream.access_record"
        ) { row throws(PostgresFailure) in try row.text(0) }
    }

    @Test func `a refused notification is listed sealed, and opened with a record of who looked`() async throws {
        try await NodeHarness.run("quarantine") { harness in
            let words = #"{"customer":{"email":"ann@example.org"}}"#
            await refuse(Array(words.utf8), harness)
            let quarantine = SealedQuarantine(registers: harness.node.registers, ring: harness.node.ring)
            let rows = try await harness.node.registers.notifications(limit: 10)
            let row = try #require(rows.first)
            #expect(rows.count == 1)
            let source = "ecommpay/\(harness.merchant)/\(Self.stranger)"
            for text in [QuarantineCommand.text(rows, isJson: false), QuarantineCommand.text(rows, isJson: true)] {
                #expect(
                    text.contains(source) && text.contains("unknown account") && text.contains("\(words.utf8.count)")
                )
                #expect(!text.contains("ann@example.org"))
            }
            #expect(try await accesses(harness).isEmpty)

            let (opened, body) = try await quarantine.open(row.id, by: "cli:ann")
            #expect(QuarantineCommand.text(opened, body, isJson: false).contains(words))
            let json = try Json(Array(QuarantineCommand.text(opened, body, isJson: true).utf8))
            #expect(json["body"]?.text == words)
            #expect(json["account"]?.text == "\(Self.stranger)")
            let kept = try await accesses(harness)
            #expect(kept.count == 1)
            #expect(
                kept.first?.hasPrefix("\(harness.merchant) 8 \(Self.stranger) cli:ann quarantine.show {") == true,
                "\(kept)"
            )
        }
    }

    @Test func `what has expired or never was is not shown, and nothing is recorded`() async throws {
        try await NodeHarness.run("quarantinegone") { harness in
            await refuse(Array("{}".utf8), harness)
            let row = try #require(try await harness.node.registers.notifications(limit: 1).first)
            try await harness.backend.execute("UPDATE paystream.quarantine SET expires_at = statement_timestamp()")
            #expect(try await harness.node.registers.notifications(limit: 1).isEmpty)
            let quarantine = SealedQuarantine(registers: harness.node.registers, ring: harness.node.ring)
            await #expect(throws: CommandFailure.self) { _ = try await quarantine.open(row.id, by: "cli:ann") }
            #expect(try await accesses(harness).isEmpty)
        }
    }

    @Test func `a message obeys no terminal, bytes that are no text come in base64, card numbers never`() async throws {
        try await NodeHarness.run("quarantinebytes") { harness in
            await refuse(Array("a\u{1B}[31mb\nc".utf8), harness)
            await refuse([0xFF, 0xFE], harness)
            await refuse(Array("n=4111111111111111".utf8), harness)
            await refuse(Array(#"{"n":"4111111111111111","status":"decline"}"#.utf8), harness)
            let quarantine = SealedQuarantine(registers: harness.node.registers, ring: harness.node.ring)
            var texts: [String] = []
            for row in try await harness.node.registers.notifications(limit: 10).reversed() {
                let (opened, body) = try await quarantine.open(row.id, by: "cli:ann")
                texts.append(QuarantineCommand.text(opened, body, isJson: false))
                texts.append(QuarantineCommand.text(opened, body, isJson: true))
            }
            try #require(texts.count == 8)
            #expect(texts[0].hasSuffix("a\u{FFFD}[31mb\nc\n"))
            #expect(texts[2].hasSuffix("\n//4=\n"))
            #expect(texts[3].contains(#""bodyBase64":"//4=""#))
            #expect(texts[4].contains("not kept"))
            #expect(texts[5].contains(#""cardDataCut":true"#))
            #expect(texts[6].contains("card data removed") && texts[6].contains("decline"))
            #expect(!texts.joined().contains("4111111111111111"))
        }
    }
}
