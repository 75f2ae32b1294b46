import Glibc
import Http
import Kernel
import Testing

/// Every member of what is posted about settlement and the books has an effect that is shown.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SettlementMembersTests {
    private static let columns: Json = [
        "kind": "type", "providerReference": "operation", "reference": "order", "amount": "amount",
        "currency": "currency", "fee": "fee", "at": "date",
    ]
    /// All members; what excludes another is in the second.
    private static let mappings: [Json] = [
        [
            "name": "one", "format": "csv", "encoding": "windows-1251", "delimiter": ";", "decimal": ",",
            "grouping": " ", "amounts": "major", "skipLines": 2, "columns": columns,
            "kinds": ["sale": "captured"], "currencies": ["978": "EUR"],
            "only": ["column": "state", "words": ["done"]], "dates": "yyyy-MM-dd", "zone": "Europe/Kyiv",
            "total": "net", "tariff": ["captured": ["basisPoints": 150, "fixed": 5]], "windowDays": 4,
            "byAmount": "never", "delayDays": 3, "rounding": 7,
        ],
        [
            "name": "two", "format": "ndjson", "columns": ["amount": "amount", "at": "date"], "kind": "captured",
            "currency": "EUR", "zone": "UTC",
        ],
    ]

    @Test func `a mapping, a proposal and an owner keep every member`() async throws {
        try await Stage.run("settlementmembers") { stage, daemon in
            let path = "/v1/accounts/\(Stage.account)/settlement-mapping"
            let standard = try await stage.call(daemon, .get, path)["mapping"] ?? .null
            for mapping in Self.mappings {
                let kept = try await stage.call(daemon, .put, path, mapping)["mapping"]
                for member in mapping.members?.members ?? [] {
                    #expect(
                        kept?[member.name] == member.value,
                        "\(member.name) is \(kept?.canonicalText ?? "not kept")"
                    )
                }
            }
            try await stage.holdEvery(daemon, "KeepSettlementMapping", Self.mappings)
            try await stage.call(daemon, .put, path, standard)

            let file = """
                operation_type,operation_id,payment_id,amount,currency,commission,operation_date,operation_status
                sale,101,order-1,19.99,EUR,0.40,2026-11-21 10:00:00,success

                """
            let brought = try await stage.bring(daemon, Array(file.utf8))
            #expect(brought.status == 201)
            let exception = try #require(try await stage.exceptions(daemon).first?["id"]?.text)
            let one = "/v1/settlement-exceptions/\(exception)"
            let owner: Json = ["owner": "anna"]
            #expect(try await stage.call(daemon, .post, one + "/assign", owner)["owner"] == "anna")
            try await stage.holdEvery(daemon, "AssignSettlementException", [owner])

            let proposal: Json = ["verdict": ["is": "adjust"], "reason": "the provider is right"]
            let proposed = try await stage.call(daemon, .post, one + "/proposals", proposal)
            #expect(proposed.canonicalText.contains("the provider is right"))
            let links: [Json] = [
                ["is": "link", "position": 1, "number": 0],
                ["is": "link", "file": brought.body["id"] ?? .null, "line": 1],
            ]
            let others = links.map { Json.object(JsonObject([("verdict", $0), ("reason", "no")])) }
            for other in others {
                // Neither is of the same amount on the other side.
                #expect(try await stage.exchange(daemon, .post, one + "/proposals", other).status == 422)
            }
            try await stage.holdEvery(daemon, "ProposeSettlementResolution", [proposal] + others)
        }
    }

    @Test func `a month that is closed keeps its note`() async throws {
        try await Stage.run("periodmembers") { stage, daemon in
            _ = try await stage.paid(daemon, "sold", 7700)
            let sql = "SELECT to_char(now() AT TIME ZONE 'UTC' - interval '1 month', 'YYYY-MM')"
            let month = try await stage.text(sql)
            let body: Json = ["note": "the books of a month"]
            let closed = try await stage.call(daemon, .put, "/v1/periods/\(month)", body)
            #expect(closed["note"] == "the books of a month")
            try await stage.holdEvery(daemon, "ClosePeriod", [body])
        }
    }
}
