import Http
import Kernel
import Testing

/// What a payout differs by from its lines: over HTTP and by the command line.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SettlementRoundingTests {
    private static let place = "/v1/accounts/\(Stage.account)/settlement-mapping"
    private static let mapping: Json = [
        "name": "rounded", "format": "ndjson", "amounts": "minor", "zone": "UTC", "delayDays": 2, "rounding": 2,
        "columns": [
            "amount": "sum", "at": "when", "currency": "iso", "fee": "kept", "kind": "what", "providerReference": "op",
        ],
        "kinds": ["sale": "captured", "out": "payout"],
    ]

    @Test func `a payout that is a cent short closes the account with the provider, and a larger gap stays owed`()
        async throws
    {
        try await Stage.run("rounding") { stage, daemon in
            for wrong: Json in [-1, 101, "2"] {
                var members = Self.mapping.members ?? JsonObject([])
                members["rounding"] = wrong
                let refused = try await stage.exchange(daemon, .put, Self.place, .object(members))
                #expect(refused.status == 422 || refused.status == 400, "\(wrong): \(refused.status)")
            }
            #expect(try await stage.call(daemon, .put, Self.place, Self.mapping)["mapping"]?["rounding"] == 2)
            _ = try await stage.paid(daemon, "sold", 7700)
            try await stage.booked("captured", 1)
            let operation = try await stage.text(
                "SELECT provider_reference FROM paystream.movements WHERE movement = 'captured'"
            )
            let now = try await stage.text("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
            func file(_ payout: Int64) -> [UInt8] {
                let sale: Json = [
                    "what": "sale", "op": .string(operation), "sum": 7700, "kept": 116, "iso": "EUR",
                    "when": .string(now),
                ]
                let out: Json = [
                    "what": "out", "op": "P-1", "sum": .integer(payout), "iso": "EUR", "when": .string(now),
                ]
                return Array((sale.canonicalText + "\n" + out.canonicalText + "\n").utf8)
            }
            let first = try await stage.bring(daemon, file(7583), type: "application/x-ndjson")
            #expect(first.status == 201 && first.body["exceptions"] == 0, "\(first)")
            try await stage.owes(daemon, rounding: 1, closing: 0)
            let balance = try await stage.report(daemon, "balance")
            #expect(balance.first { $0["ledgerAccount"] == "rounding" }?["balance"] == 1, "\(balance)")
            #expect(
                try await stage.command(["report", "settlement", "--mode", "test", "--format", "csv"]).contains(
                    "rounding"
                )
            )
            let id = try #require(first.body["id"]?.text)
            let larger = try await stage.bring(
                daemon,
                file(7500),
                more: "&corrects=\(id)",
                type: "application/x-ndjson"
            )
            #expect(larger.status == 201, "\(larger)")
            try await stage.owes(daemon, rounding: 0, closing: 84)
            let entries = try await stage.report(daemon, "balance", "&compare=0")
            #expect(entries.filter { $0["movement"] == "rounding" }.map { $0["amount"] } == [1, -1], "\(entries)")
            try await stage.verifyViews()
        }
    }
}

extension Stage {
    /// Holds the sum of rounding and the last balance against what is meant.
    fileprivate func owes(_ daemon: DaemonProcess, rounding: Int64, closing: Int64) async throws {
        let rows = try await report(daemon, "settlement")
        #expect(rows.reduce(0) { $0 + ($1["rounding"]?.integer ?? 0) } == rounding, "\(rows)")
        #expect(rows.last?["closing"]?.integer == closing, "\(rows)")
        let conserved = try await report(daemon, "reconciliation")
        #expect(!conserved.isEmpty && conserved.allSatisfy { $0["difference"] == 0 }, "\(conserved)")
    }
}
