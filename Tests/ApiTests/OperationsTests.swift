import Api
import EventSourcing
import Http
import Kernel
import Payments
import TestKit
import Testing

/// What operators do: disputes, open questions, their settlement by two persons.
@Suite struct OperationsTests {
    private static func euro(_ minor: Int64) -> Json { ["value": .integer(minor), "currency": "EUR"] }

    @Test func `a dispute is opened, shown and lost`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.paid()
            let opened = try await api.post("/v1/payments/\(id)/disputes", ["amount": Self.euro(500)], key: "d")
            try opened.expect(200)
            let dispute = try #require(opened.json["disputes"]?.items?.first)
            #expect(dispute["stage"] == "opened")
            #expect(opened.json.at("amounts", "disputed") == 500)
            let name = dispute["id"]?.text ?? ""
            let lost = try await api.post("/v1/payments/\(id)/disputes/\(name)/lost", key: "lost").expect(200)
            #expect(lost.json.at("amounts", "chargedBack") == 500)
            let won = try await api.post("/v1/payments/\(id)/disputes/\(name)/won", key: "won").expect(422)
            #expect(won.code == "dispute_closed")
            let twin = "dsp_8140c15c3bb95a4193c003f1f45fe70e"
            let none = try await api.post("/v1/payments/\(id)/disputes/\(twin)/won", key: "none").expect(404)
            #expect(none.code == "dispute_unknown")
        }
    }

    /// A payment whose amount the provider tells otherwise.
    private static func contradicted(_ api: ApiHarness) async throws -> PaymentId {
        let id = try await api.create()
        try await api.deliver(id, CallbackOperation(id: 1, type: "sale", status: "success", minor: 1500), "success")
        return id
    }

    @Test func `two persons settle what can't both be true, and newer evidence voids what they saw`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await Self.contradicted(api)
            let shown = try await api.get("/v1/payments/\(id)").expect(200)
            #expect(shown.json["contradictions"]?.items?.first?["kind"] == "amount")
            let unresolved = try await api.get("/v1/operations/unresolved?needsOperator=true").expect(200)
            #expect(unresolved.json["items"]?.items?.map { $0["id"] } == [id.json])
            let proposal: Json = [
                "verdict": ["is": "acknowledged"], "evidence": "seen in the cabinet",
                "seenVersion": shown.json["version"] ?? 0,
            ]
            let proposed = try await api.post("/v1/payments/\(id)/resolutions", proposal, key: "p").expect(200)
            let name = proposed.json["resolutions"]?.items?.first?["id"]?.text ?? ""
            let target = "/v1/payments/\(id)/resolutions/\(name)/approve"
            let seen: Json = ["seenVersion": proposed.json["version"] ?? 0]
            #expect(try await api.post(target, seen, key: "a1").expect(422).code == "second_person_needed")
            let approved = try await api.send(.post, target, seen, key: "a2", token: "psk_operator").expect(202)
            #expect(approved.json["contradictions"]?.items?.first?["open"] == false)
            #expect(try await api.get("/v1/operations/unresolved?needsOperator=true").json["items"] == [])
            let late = try await api.post("/v1/payments/\(id)/resolutions", proposal, key: "late").expect(422)
            #expect(late.code == "nothing_to_resolve")
        }
    }

    @Test func `what a person found out stays with the payment and makes an earlier proposal stale`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await Self.contradicted(api)
            let version = try await api.get("/v1/payments/\(id)").expect(200).json["version"] ?? 0
            let proposal: Json = ["verdict": ["is": "acknowledged"], "evidence": "seen", "seenVersion": version]
            let proposed = try await api.post("/v1/payments/\(id)/resolutions", proposal, key: "p").expect(200)
            let name = proposed.json["resolutions"]?.items?.first?["id"]?.text ?? ""
            let found: Json = ["evidence": "the statement shows another amount"]
            let added = try await api.post("/v1/payments/\(id)/evidence", found, key: "e").expect(200)
            let kept = added.json["evidence"]?.items?.first
            #expect(kept?["text"] == found["evidence"] && kept?["by"] != nil && kept?["at"] != nil)
            #expect(added.json["status"] == proposed.json["status"])
            let target = "/v1/payments/\(id)/resolutions/\(name)/approve"
            let seen: Json = ["seenVersion": added.json["version"] ?? 0]
            let stale = try await api.send(.post, target, seen, key: "a", token: "psk_operator").expect(422)
            #expect(stale.code == "proposal_stale")
            let events = try await api.get("/v1/payments/\(id)/events").expect(200)
            #expect(events.json["items"]?.items?.contains { $0["type"] == "evidence.added.v1" } == true)
        }
    }

    @Test(
        arguments: [
            (["verdict": ["is": "guess"], "evidence": "e", "seenVersion": 1], "word_unknown", "verdict.is"),
            (["verdict": ["is": "failed"], "evidence": "e", "seenVersion": 1], "member_missing", "verdict.operation"),
            (
                ["verdict": ["is": "failed", "operation": "op_1"], "evidence": "e", "seenVersion": 1],
                "identifier_malformed", "verdict.operation"
            ),
            (
                ["verdict": ["is": "acknowledged", "amount": 1], "evidence": "e", "seenVersion": 1], "member_unknown",
                "verdict.amount"
            ),
            (["verdict": ["is": "acknowledged"], "seenVersion": 1], "member_missing", "evidence"),
            (["verdict": ["is": "acknowledged"], "evidence": "e"], "member_missing", "seenVersion"),
            (
                ["verdict": ["is": "acknowledged"], "evidence": "e", "seenVersion": 0], "number_out_of_range",
                "seenVersion"
            ),
            (["verdict": ["is": "acknowledged"], "evidence": "e", "seenVersion": "1"], "type_wrong", "seenVersion"),
        ] as [(Json, String, String)]
    )
    func `a proposal has a closed form`(body: Json, code: String, path: String) async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create()
            let answer = try await api.post("/v1/payments/\(id)/resolutions", body, key: "k").expect(422)
            #expect(answer.code == code)
            #expect(answer.path == path)
        }
    }

    @Test func `a waiting payer is nobody else's debt`() async throws {
        try await ApiHarness.run { api throws in
            _ = try await api.create()
            #expect(try await api.get("/v1/operations/unresolved").expect(200).json["items"] == [])
            let held = try await api.held(key: "held")
            let open = try await api.get("/v1/operations/unresolved").expect(200)
            #expect(open.json["items"]?.items?.map { $0["id"] } == [held.json])
            let owed = open.json["items"]?.items?.first?["obligations"]?.items?.first
            #expect(owed?["nextStep"] == "captureOrVoid")
            // The account's own lifetime of holds gives the deadline, in the list and at the payment.
            #expect(owed?["deadline"]?.text != nil)
            let shown = try await api.get("/v1/payments/\(held)").expect(200)
            #expect(shown.json["obligations"]?.items?.first?["deadline"] == owed?["deadline"])
        }
    }
}
