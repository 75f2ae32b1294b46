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
            let outcome = try await ViewRebuild.run(harness.node.view, harness.node.store)
            guard case .identical(let fingerprint) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(fingerprint.hasPrefix("1:"))
            try await harness.backend.execute("UPDATE paystream.payment_view SET reference = 'forged'")
            guard case .different(_, let after) = try await ViewRebuild.run(harness.node.view, harness.node.store)
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
            let stranger = try await harness.node.registers.merchant(named: "stranger")
            #expect(try await harness.node.registers.inboxOutcome(id, stranger) == nil)
        }
    }

    @Test func `the turnover sums what moved on a day, in a zone, and a day that is over never changes`() async throws {
        try await NodeHarness.run("turnover") { harness in
            let (merchant, registers, view) = (harness.merchant, harness.node.registers, harness.node.view)
            func move(_ number: Int, _ what: String, _ at: String, _ amount: String, mode: String = "live") async throws
            {
                try await harness.backend.execute(
                    """
                    INSERT INTO paystream.payment_movement (merchant, payment, version, what, at, amount, currency, kind,
                        account, account_mode, provider)
                    VALUES (\(merchant), gen_random_uuid(), \(number), '\(what)', '\(at)', \(amount), 'EUR', 1,
                        gen_random_uuid(), '\(mode)', 'ecommpay')
                    """
                )
            }
            try await move(1, "captured", "2026-11-20T22:30:00Z", "1999")
            try await move(2, "captured", "2026-11-21T10:00:00Z", "9223372036854775807")
            try await move(3, "captured", "2026-11-21T11:00:00Z", "9223372036854775807")
            try await move(4, "refunded", "2026-11-22T10:00:00Z", "500")
            try await move(5, "captured", "2026-11-22T10:00:00Z", "1", mode: "test")
            try await harness.backend.execute(
                """
                INSERT INTO paystream.bill_movement (merchant, chunk, version, what, at, amount, currency, bills, batch,
                    account, account_mode, provider)
                SELECT \(merchant), gen_random_uuid(), 1, w, '2026-11-22T10:00:00Z', 700, 'UAH', 2, gen_random_uuid(),
                    gen_random_uuid(), 'live', 'portmone' FROM unnest('{captured,claimed}'::text[]) w
                """
            )
            var query = TurnoverQuery()
            func told() async throws -> [String] {
                try await view.turnover(of: merchant, query).map { line in
                    let sums = line.sums.filter { $0.value != "0" }.sorted { $0.key < $1.key }.map {
                        "\($0.key)=\($0.value)"
                    }
                    return ([line.day, line.kind, line.mode] + sums).joined(separator: " ")
                }
            }
            #expect(
                try await told() == [
                    "2026-11-20 payment live captured=1999", "2026-11-21 payment live captured=18446744073709551614",
                    "2026-11-22 bill live captured=700 claimed=700", "2026-11-22 payment live refunded=500",
                ]
            )
            query.zone = "Europe/Kyiv"
            query.end = "2026-11-22"
            #expect(try await told() == ["2026-11-21 payment live captured=18446744073709553613"])
            query = TurnoverQuery()
            query.mode = "test"
            #expect(try await told() == ["2026-11-22 payment test captured=1"])
            query.mode = nil
            #expect(try await told().count == 5)
            // The merchant's own zone is what nobody asked for otherwise.
            try await registers.keep(zone: "Europe/Kyiv", of: merchant)
            await #expect(throws: StoreFailure.self) { try await registers.keep(zone: "UTC+3", of: merchant) }
            #expect(try await told().first == "2026-11-21 payment live captured=18446744073709553613")
            query.zone = "Europe/Nowhere"
            await #expect(throws: StoreFailure.self) { try await view.turnover(of: merchant, query) }
            #expect(try await view.turnover(of: MerchantNumber(999), TurnoverQuery()).isEmpty)
        }
    }

    @Test func `a turnover is written as a table, as lines of JSON and as CSV`() {
        let line = TurnoverLine(
            day: "2026-11-21",
            kind: "payment",
            provider: "a,b",
            mode: "live",
            currency: "EUR",
            sums: ["captured": "18446744073709551614", "refunded": "-5"]
        )
        #expect(
            ReportCommand.text([line], openDay: "2026-11-22", .csv)
                == "day,kind,provider,mode,currency,captured,refunded,charged_back,transferred,claimed,complete\r\n"
                + "2026-11-21,payment,\"a,b\",live,EUR,184467440737095516.14,-0.05,0.00,0.00,0.00,yes\r\n"
        )
        #expect(
            ReportCommand.text([line], openDay: "2026-11-21", .json)
                == #"{"captured":"18446744073709551614","chargedBack":0,"claimed":0,"complete":false,"currency":"EUR","#
                + #""day":"2026-11-21","kind":"payment","mode":"live","provider":"a,b","refunded":-5,"transferred":0}"#
                + "\n"
        )
        #expect(
            ReportCommand.text([line], openDay: "2026-11-22", .table).split(separator: "\n").last?.hasSuffix(
                "184467440737095516.14     -0.05          0.00         0.00     0.00  yes"
            ) == true
        )
    }
}
