import Api
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import TestKit
import Testing

/// The rules of routing over HTTP: set, read, explained, and told by the payments that they chose for.
@Suite struct RouteRulesTests {
    private static func account(_ name: String, _ mode: String = "test") -> Json {
        [
            "name": .string(name), "provider": "ecommpay", "mode": .string(mode),
            "settings": ["currencies": ["EUR", "USD"], "projectId": 43], "secrets": ["secretKey": "very secret"],
        ]
    }

    private static let rules: Json = [
        "rules": [
            [
                "name": "german", "when": ["countries": ["DE"], "currencies": ["EUR"]],
                "to": [["account": "second", "weight": 3]], "then": ["ecommpay-eur"],
                "fallback": ["on": ["soft"], "attempts": 2],
            ]
        ]
    ]

    private func sale(_ members: (String, Json)...) -> Json {
        var body = ApiHarness.sale().members ?? JsonObject([])
        for (name, value) in members { body[name] = value }
        return .object(body)
    }

    @Test func `rules are set, read, numbered and refused when somebody else changed them`() async throws {
        try await ApiHarness.run { api throws in
            try await api.post("/v1/accounts", Self.account("second"), key: "a").expect(200)
            let set = try await api.send(.put, "/v1/routes", Self.rules, key: "r").expect(200)
            #expect(set.json["number"] == 1)
            let read = try await api.get("/v1/routes").expect(200)
            #expect(read.json == set.json)
            let rule = read.json["rules"]?.items?.first
            #expect(rule?["to"] == [["account": "second", "weight": 3]] && rule?["then"] == ["ecommpay-eur"])
            #expect(read.json["order"] == ["ecommpay-eur"] && read.json["breakers"] == [])
            let stale: Json = ["rules": [], "seenNumber": 0]
            let refused = try await api.send(.put, "/v1/routes", stale, key: "r2").expect(422)
            #expect(refused.code == "routing_stale")
            try await api.send(.put, "/v1/routes", ["rules": [], "seenNumber": 1], key: "r3").expect(200)
        }
    }

    @Test(
        arguments: [
            (["rules": [["name": "x", "to": [["account": "nobody"]]]]], "account_unknown", "rules.0.to.0.account"),
            (["rules": [["name": "x", "to": []]]], "routing_invalid", "rules.0.to"),
            (["rules": [["to": [["account": "second"]]]]], "member_missing", "rules.0.name"),
            (
                ["rules": [["name": "x", "when": ["countries": ["de"]], "to": [["account": "second"]]]]],
                "word_unknown", "rules.0.when.countries.0"
            ),
            (
                ["rules": [["name": "x", "to": [["account": "second"]], "then": ["third"]]]], "route_mixed", "rules.0"
            ),
            (
                ["rules": [["name": "x", "to": [["account": "second"]], "colour": 1]]], "member_unknown",
                "rules.0.colour"
            ),
            (
                ["rules": [["name": "x", "to": [["account": "second"]], "fallback": ["on": ["bad"]]]]],
                "word_unknown", "rules.0.fallback.on.0"
            ), (["rules": [], "breaker": ["failures": 0]], "number_out_of_range", "breaker.failures"),
        ] as [(Json, String, String)]
    )
    func `bad rules have their code and place`(body: Json, code: String, path: String) async throws {
        try await ApiHarness.run { api throws in
            try await api.post("/v1/accounts", Self.account("second"), key: "a").expect(200)
            try await api.post("/v1/accounts", Self.account("third", "live"), key: "b").expect(200)
            let answer = try await api.send(.put, "/v1/routes", body, key: "k").expect(422)
            #expect(answer.code == code && answer.path == path)
        }
    }

    @Test func `a payment goes where its rule says and tells why, for ever`() async throws {
        try await ApiHarness.run { api throws in
            try await api.post("/v1/accounts", Self.account("second"), key: "a").expect(200)
            try await api.send(.put, "/v1/routes", Self.rules, key: "r").expect(200)
            let made = try await api.post("/v1/payments", sale(("country", "DE")), key: "p").expect(202)
            #expect(made.json.at("account", "name") == "second")
            let route = made.json["routes"]?.items?.first
            #expect(route?["rule"] == "german" && route?.at("question", "country") == "DE")
            #expect(route?["candidates"]?.items?.map { $0["verdict"] } == ["chosen", "available"])

            try await api.send(.put, "/v1/routes", ["rules": []], key: "r2").expect(200)
            let id = try #require(made.json["id"])
            let told = try await api.post("/v1/routes/explain", ["payment": id]).expect(200)
            #expect(told.json["decisions"] == made.json["routes"])

            let other = try await api.post("/v1/payments", sale(("country", "FR")), key: "q").expect(202)
            #expect(other.json.at("account", "name") == "ecommpay-eur")
            let report = try await api.engine.replay.verify()
            #expect(report.isClean, "\(report.differences)")
        }
    }

    @Test func `a question explains itself without a payment`() async throws {
        try await ApiHarness.run { api throws in
            try await api.post("/v1/accounts", Self.account("second"), key: "a").expect(200)
            try await api.send(.put, "/v1/routes", Self.rules, key: "r").expect(200)
            let question: Json = ["amount": ["value": 5, "currency": "USD"], "country": "DE"]
            let told = try await api.post("/v1/routes/explain", question).expect(200)
            let decision = told.json["decisions"]?.items?.first
            #expect(decision?["skipped"] == [["part": "currency", "rule": "german"]])
            #expect(decision?["candidates"]?.items?.first?["reason"] == "currencyNotTaken")
            #expect(decision?["chosen"] == nil)
        }
    }

    @Test func `a payment that no account takes is refused with the reasons`() async throws {
        try await ApiHarness.run { api throws in
            let body = sale(("accountMode", "live"))
            let refused = try await api.post("/v1/payments", body, key: "p").expect(422)
            #expect(refused.code == "no_account_for_payment")
            let candidates = refused.json.at("route", "candidates")?.items
            #expect(candidates?.map { $0["reason"] } == ["otherAccountMode"])
        }
    }
}
