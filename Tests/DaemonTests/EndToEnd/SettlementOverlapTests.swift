import Http
import Kernel
import Testing

/// A day's file and the week's: payouts that both tell of, over HTTP.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SettlementOverlapTests {
    private static let mapping: Json = [
        "name": "plain", "format": "ndjson", "amounts": "minor", "zone": "UTC", "delayDays": 2,
        "columns": ["amount": "sum", "at": "when", "currency": "iso", "kind": "what", "providerReference": "op"],
        "kinds": ["out": "payout"],
    ]

    private static func file(_ payouts: [(sum: Int64, name: String?)]) -> [UInt8] {
        let lines = payouts.map { payout -> String in
            let line: Json = [
                "what": "out", "sum": .integer(payout.sum), "iso": "EUR", "when": "2026-11-20T12:00:00Z",
                "op": payout.name.map { .string($0) } ?? .null,
            ]
            return line.canonicalText + "\n"
        }
        return Array(lines.joined().utf8)
    }

    @Test func `a payout that two files tell of is paid once, with a name and without`() async throws {
        try await Stage.run("overlap") { stage, daemon in
            _ = try await stage.call(
                daemon,
                .put,
                "/v1/accounts/\(Stage.account)/settlement-mapping",
                Self.mapping
            )
            let type = "application/x-ndjson"
            let day = try await stage.bring(daemon, Self.file([(1000, nil), (500, "P-1")]), type: type)
            #expect(day.status == 201 && day.body["exceptions"] == 0, "\(day)")
            let week = try await stage.bring(daemon, Self.file([(1000, nil), (501, "P-1"), (70, "P-2")]), type: type)
            #expect(week.status == 201 && week.body["exceptions"] == 2, "\(week)")
            let open = try await stage.exceptions(daemon)
            #expect(open.map { $0["class"] } == ["duplicate", "duplicate"], "\(open)")
            let balance = try await stage.report(daemon, "balance")
            #expect(balance.first { $0["ledgerAccount"] == "bank" }?["balance"] == 1570, "\(balance)")
            try await stage.verifyViews()
        }
    }
}
