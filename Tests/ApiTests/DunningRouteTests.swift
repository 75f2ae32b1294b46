import Api
import Http
import Kernel
import Schedules
import TestKit
import Testing

/// Dunning policies of a merchant: kept by name and version, taken by schedules that name them.
@Suite struct DunningRouteTests {
    private static let gentle: Json = [
        "steps": ["fraud": ["is": "retry", "afterSeconds": [3600, 86_400]], "stepUpRequired": ["is": "giveUp"]],
        "caps": [["attempts": 3, "days": 30]], "giveUp": "mark", "endsAtNext": false,
    ]

    private static func subscription(_ policy: Json?) -> Json {
        guard case .object(var body) = ApiHarness.subscription else { return .null }
        body["policy"] = policy
        return .object(body)
    }

    private func dunning(_ answer: Answer) -> Json? { answer.json.at("policy", "dunning") }

    @Test func `a policy gets a version for each content, and what it does not say is the standard's`() async throws {
        try await ApiHarness.run { api throws in
            func keep(_ body: Json) async throws -> Json {
                try await api.send(.put, "/v1/dunning-policies/gentle", body).expect(200).json
            }
            let first = try await keep(Self.gentle)
            #expect(first["name"] == "gentle" && first["version"] == 1 && first["endsAtNext"] == false)
            #expect(first.at("steps", "fraud", "is") == "retry" && first.at("steps", "soft", "is") == "retry")
            let caps = first["caps"]?.items ?? []
            #expect(caps.count == 4 && caps.contains { $0["scheme"] == "visa" }, "the networks' caps always hold")
            #expect(try await keep(Self.gentle)["version"] == 1, "the same again is the same")
            #expect(try await keep([:])["version"] == 2)
            #expect(try await keep(Self.gentle)["version"] == 3, "a version is never changed")
            let listed = try await api.get("/v1/dunning-policies").expect(200).json["items"]?.items ?? []
            #expect(listed.map { $0["name"] } == ["standard", "gentle"] && listed.last?["version"] == 3)
        }
    }

    @Test func `a schedule takes the version that holds when it names it, and keeps it`() async throws {
        try await ApiHarness.run { api throws in
            try await api.send(.put, "/v1/dunning-policies/gentle", Self.gentle).expect(200)
            let body = Self.subscription(["dunning": "gentle"])
            let made = try await api.post("/v1/schedules", body, key: "k").expect(201)
            let id = try #require(made.json["id"]?.text)
            #expect(dunning(made)?["version"] == 1 && dunning(made)?["giveUp"] == "mark")
            try await api.send(.put, "/v1/dunning-policies/gentle", ["giveUp": "cancel"]).expect(200)
            let again = try await api.post("/v1/schedules", body, key: "k").expect(200)
            #expect(dunning(again)?["version"] == 1, "a repeated command is the command that it was")
            #expect(dunning(try await api.get("/v1/schedules/\(id)"))?["version"] == 1)
            let change: Json = ["policy": ["dunning": "gentle", "catchUp": ["mode": "none"]]]
            let changed = try await api.post("/v1/schedules/\(id)/change", change, key: "c").expect(200)
            #expect(dunning(changed)?["version"] == 2 && changed.json.at("policy", "catchUp", "mode") == "none")
        }
    }

    @Test func `a policy named default holds for schedules that name none`() async throws {
        try await ApiHarness.run { api throws in
            let before = try await api.post("/v1/schedules", ApiHarness.subscription, key: "1").expect(201)
            #expect(dunning(before)?["name"] == "standard")
            try await api.send(.put, "/v1/dunning-policies/default", ["giveUp": "cancel"]).expect(200)
            let after = try await api.post("/v1/schedules", ApiHarness.subscription, key: "2").expect(201)
            #expect(dunning(after)?["name"] == "default" && dunning(after)?["giveUp"] == "cancel")
            let body = Self.subscription(["dunning": "standard"])
            #expect(dunning(try await api.post("/v1/schedules", body, key: "3").expect(201))?["name"] == "standard")
        }
    }

    @Test(
        arguments: [
            ("gentle", ["colour": 1], "member_unknown", "colour"),
            ("gentle", ["steps": ["soft": ["is": "retry"]]], "member_missing", "steps.soft.afterSeconds"),
            (
                "gentle", ["steps": ["soft": ["is": "retry", "afterSeconds": [59]]]], "number_out_of_range",
                "steps.soft.afterSeconds"
            ),
            (
                "gentle", ["steps": ["soft": ["is": "retry", "afterSeconds": []]]], "too_many",
                "steps.soft.afterSeconds"
            ),
            ("gentle", ["steps": ["soft": ["is": "giveUp", "seconds": 60]]], "member_unknown", "steps.soft.seconds"),
            ("gentle", ["steps": ["bad": ["is": "giveUp"]]], "member_unknown", "steps.bad"),
            ("gentle", ["caps": [["attempts": 0, "days": 1]]], "number_out_of_range", "caps.0.attempts"),
            ("gentle", ["giveUp": "shrug"], "word_unknown", "giveUp"),
            ("standard", [:], "dunning_policy_reserved", nil), ("Gentle", [:], "dunning_policy_name", nil),
            ("0.5", [:], "dunning_policy_name", nil),
        ] as [(String, Json, String, String?)]
    )
    func `what can't be a policy is refused with its place`(name: String, body: Json, code: String, path: String?)
        async throws
    {
        try await ApiHarness.run { api throws in
            let answer = try await api.send(.put, "/v1/dunning-policies/\(name)", body).expect(422)
            #expect(answer.code == code && answer.path == path, "\(answer)")
        }
    }

    @Test func `an unknown policy is refused, and another merchant's is unknown`() async throws {
        try await ApiHarness.run { api throws in
            let other = try await api.send(.put, "/v1/dunning-policies/theirs", Self.gentle, token: "psk_other")
            try other.expect(200)
            let body = Self.subscription(["dunning": "theirs"])
            let refused = try await api.post("/v1/schedules", body, key: "k").expect(422)
            #expect(refused.code == "dunning_policy_unknown" && refused.path == "policy.dunning")
            let preview: Json = ["rule": ApiHarness.subscription["rule"] ?? .null, "policy": ["dunning": "theirs"]]
            #expect(try await api.post("/v1/schedules/preview", preview).expect(422).code == "dunning_policy_unknown")
        }
    }
}
