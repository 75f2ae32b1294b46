import Decisions
import Engine
import EventSourcing
import Glibc
import Kernel
import Payments
import Postgres
import Projections
import Store
import TestKit
import Testing

@testable import Cli
@testable import Daemon

/// Commands that look at an installation: doctor, replay, lists.
@Suite(.timeLimit(.minutes(2)))
struct CheckingCommandsTests {
    private static let payment = """
        {"mode":"sale","amount":{"value":1999,"currency":"EUR"},"reference":"order-9",
         "details":{"payer":{"email":"payer@example.org"}}}
        """

    @Test func `the doctor passes a sound installation and stops it before going live with a test account`()
        async throws
    {
        try await NodeHarness.run("doctor") { harness in
            let doctor = Doctor(harness.configuration)
            let bare = await doctor.examine(goLive: false, merchant: nil)
            #expect(bare.filter { $0.verdict != .ok }.map(\.what) == ["login", "locks"], "\(bare.map(\.line))")
            try await Migrator(PostgresOptions(address: harness.configuration.database)).installRoles()
            let usual = await doctor.examine(goLive: false, merchant: nil)
            // The harness works as the owner of everything, which an installation should not.
            #expect(usual.filter { $0.verdict != .ok }.map(\.what) == ["login"], "\(usual.map(\.line))")
            #expect(usual.contains { $0.what == "sealing" && $0.verdict == .ok })
            let strict = await doctor.examine(goLive: true, merchant: nil)
            let failures = strict.filter { $0.verdict == .fail }
            #expect(failures.map(\.what) == ["account ecommpay-eur of \(NodeHarness.merchantName)"])
            #expect(!usual.contains { $0.what == "pooler" })
            try await harness.database.withPooler(sessions: 2) { address in
                var pooled = harness.configuration
                pooled.database = Secret(address)
                let findings = await Doctor(pooled).examine(goLive: false, merchant: nil)
                #expect(findings.contains { $0.what == "pooler" } && !findings.contains { $0.verdict == .fail })
            }
        }
    }

    @Test func `the doctor sees a key that others may read and a database that is not there`() async throws {
        try await NodeHarness.run("doctorkeys") { harness in
            chmod(harness.configuration.masterKeyFile, 0o640)
            let findings = await Doctor(harness.configuration).examine(goLive: false, merchant: nil)
            #expect(findings.filter { $0.verdict == .fail }.map(\.what) == ["master key"])
        }
        let nowhere = DaemonConfiguration(database: Secret("postgresql://127.0.0.1:1/none"), masterKeyFile: "/nowhere")
        let findings = await Doctor(nowhere).examine(goLive: false, merchant: nil)
        #expect(findings.map(\.what) == ["master key", "database"])
        #expect(findings.allSatisfy { $0.verdict == .fail })
    }

    @Test func `a history replays, and a changed event is a difference`() async throws {
        try await NodeHarness.run("replay") { harness in
            let done = try await harness.finalOutcome(
                try await harness.enqueue("replay", "payment.create", Self.payment)
            )
            #expect(done["state"]?.text == "done")
            let clean = try await ReplayRun.verify(harness.node.store)
            #expect(clean.isClean && clean.decisions >= 3)
            #expect(ReplayRun.closing(clean).hasSuffix("no difference"))
            try await harness.backend.execute(
                """
                UPDATE paystream.event SET data = replace(data::text, 'order-9', 'order-8')::json
                 WHERE type = 'payment.created.v1'
                """
            )
            let changed = try await ReplayRun.verify(harness.node.store)
            #expect(!changed.isClean)
        }
    }

    @Test func `every send has its licence, and a forged mark is a breach in the table and in JSON`() async throws {
        try await NodeHarness.run("licences") { harness in
            _ = try await harness.finalOutcome(try await harness.enqueue("licences", "payment.create", Self.payment))
            let clean = try await LicenseRun.verify(harness.node.store)
            #expect(clean.isClean && clean.streams == 1, "\(clean.breaches)")
            #expect(LicenseRun.text(clean).hasSuffix("no breach\n"))
            try await harness.backend.execute(
                """
                INSERT INTO paystream.sending_mark (at, fence, merchant, ordinal, stream_kind, stream, effect)
                SELECT now(), 1, merchant, 1, kind, id, gen_random_uuid() FROM paystream.stream WHERE kind = 1
                UNION ALL SELECT now(), 1, 1, 1, 1, gen_random_uuid(), gen_random_uuid()
                """
            )
            let forged = try await LicenseRun.verify(harness.node.store)
            #expect(forged.breaches.map(\.rule) == [.unlicensed, .unlicensed])
            #expect(LicenseRun.text(forged).hasSuffix("2 breaches\n"))
            let lines = LicenseRun.json(forged).split(separator: "\n").compactMap { try? Json(Array($0.utf8)) }
            #expect(lines.map { $0["rule"]?.text } == ["unlicensed", "unlicensed", nil])
            #expect(lines.last?["breaches"]?.integer == 2)
        }
    }

    @Test func `the payment view is built again with identical rows, and a changed row is seen`() async throws {
        try await NodeHarness.run("views") { harness in
            _ = try await harness.finalOutcome(try await harness.enqueue("views", "payment.create", Self.payment))
            let outcome = try await ViewRebuild.run(harness.node.views.payments, harness.node.store)
            guard case .identical(let fingerprint) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(fingerprint.hasPrefix("1:"))
            try await harness.backend.execute("UPDATE paystream.payment_view SET reference = 'forged'")
            guard
                case .different(_, let after) = try await ViewRebuild.run(
                    harness.node.views.payments,
                    harness.node.store
                )
            else {
                Issue.record("the forged row was not seen")
                return
            }
            #expect(after == fingerprint)
        }
    }

    @Test func `lists show sums in the currency's own units and obey no control character`() {
        let row: Json = [
            "account": ["mode": "test", "name": "acc"], "amount": ["currency": "KWD", "value": 12345],
            "amounts": ["captured": 12345, "currency": "KWD", "refunded": 0], "id": "pay_1", "mode": "sale",
            "reference": "a\u{1B}[31mb", "status": "captured",
        ]
        let text = PaymentReading(kind: .payment).table([row])
        #expect(text.contains("12.345 KWD"))
        #expect(!text.contains("\u{1B}"))
        #expect(text.contains("acc (test)"))
    }

    @Test func `a stranger's inbox id tells nothing`() async throws {
        try await NodeHarness.run("inboxowner") { harness in
            let id = try await harness.enqueue("mine", "payment.create", Self.payment)
            _ = try await harness.finalOutcome(id)
            let stranger = try await harness.node.registers.makeMerchant(named: "stranger").number
            #expect(try await harness.node.registers.inboxOutcome(id, stranger) == nil)
        }
    }
}
