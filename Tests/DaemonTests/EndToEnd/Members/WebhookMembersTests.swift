import Http
import Kernel
import Testing

/// Every member of what is posted about webhooks has an effect that is shown.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct WebhookMembersTests {
    @Test func `an endpoint, a rotation and what is asked for once more keep every member`() async throws {
        try await Stage.webhooks("hookmembers") { stage, daemon, receiver in
            let body: Json = [
                "url": .string(receiver.address), "types": ["payment.created", "refund.*"],
                "description": "the shop's orders", "order": "resource", "signatures": ["v1", "v1a"],
            ]
            let made = try await stage.call(daemon, .post, "/v1/webhook-endpoints", body, key: "members")
            for member in body.members?.members ?? [] { #expect(made[member.name] == member.value, "\(member.name)") }
            try await stage.holdEvery(daemon, "ConfigureWebhookEndpoint", [body])
            let path = "/v1/webhook-endpoints/\(try #require(made["id"]?.text))"

            let other: Json = ["url": .string(receiver.address), "types": ["payment.created"]]
            let changed = try await stage.call(daemon, .put, path, other, key: "change")
            #expect(changed["order"] == "none" && changed["description"] == nil && changed["types"] == other["types"])
            #expect(changed["signatures"] == ["v1"])

            let overlap: Json = ["overlapSeconds": 0]
            let rotated = try await stage.call(daemon, .post, path + "/rotate-secret", overlap, key: "rotate")
            #expect(rotated["secrets"]?.items?.count == 1, "without an overlap the old one is gone")
            try await stage.holdEvery(daemon, "RotateWebhookSecret", [overlap])

            _ = try await stage.created(daemon, "one")
            _ = try await stage.created(daemon, "two")
            let told = try await stage.wait(for: receiver) { $0.count == 2 }
            let ids = told.map(\.id)
            let one: Json = ["event": .string(ids[0])]
            #expect(try await stage.call(daemon, .post, path + "/redeliver", one)["events"] == 1)
            let range: Json = ["since": .string(ids[0]), "until": .string(ids[0])]
            #expect(try await stage.call(daemon, .post, path + "/redeliver", range)["events"] == 1)
            try await stage.holdEvery(daemon, "RedeliverWebhooks", [one, range])
            for (bad, member) in [
                (["event": "evt_7"] as Json, "event"), (["until": .string(ids[0])], "since"),
                (["event": .string(ids[0]), "since": .string(ids[0])], "event"),
            ] { try await stage.refuses(daemon, path + "/redeliver", bad, member) }
            for (bad, member) in [
                (["url": .string(receiver.address), "types": ["payment.sold"]] as Json, "types.0"),
                (["url": "https://10.0.0.1/"], "url"), (["types": []], "url"),
                (["url": .string(receiver.address), "order": "time"], "order"),
                (["url": .string(receiver.address), "signatures": ["v2"]], "signatures.0"),
                (["url": .string(receiver.address), "signatures": ["v1", "v1"]], "signatures.1"),
                (["url": .string(receiver.address), "signatures": []], "signatures"),
            ] { try await stage.refuses(daemon, "/v1/webhook-endpoints", bad, member) }
        }
    }

    @Test func `a merchant has so many endpoints and no more, and one that was removed is gone`() async throws {
        try await Stage.webhooks("hookbounds") { stage, daemon, receiver in
            var last: Json = .null
            for _ in 0..<20 { last = try await stage.endpoint(daemon, receiver, [:]) }
            try await stage.refuses(daemon, "/v1/webhook-endpoints", ["url": .string(receiver.address)])
            let path = "/v1/webhook-endpoints/\(try #require(last["id"]?.text))"
            let off = try await stage.call(daemon, .post, path + "/disable", [:], key: "off")
            #expect(off["status"] == "disabled" && off["disabledReason"] == "asked")
            #expect(try await stage.exchange(daemon, .post, path + "/ping", [:]).status == 409)
            #expect(try await stage.call(daemon, .post, path + "/enable", [:], key: "on")["status"] == "enabled")
            #expect(try await stage.call(daemon, .delete, path, nil, key: "remove")["status"] == "removed")
            #expect(try await stage.exchange(daemon, .get, path).status == 404)
            let list = try await stage.call(daemon, .get, "/v1/webhook-endpoints")["items"]?.items ?? []
            #expect(list.count == 19 && list.allSatisfy { $0["secret"] == nil })
            _ = try await stage.endpoint(daemon, receiver, [:])
        }
    }

    @Test func `requests side by side make no more endpoints than there may be`() async throws {
        try await Stage.webhooks("hookrace") { stage, daemon, receiver in
            let body: Json = ["url": .string(receiver.address)]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        try await stage.exchange(daemon, .post, "/v1/webhook-endpoints", body, key: "race-\(number)")
                            .status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(
                statuses.filter { $0 < 300 }.count == 20 && statuses.filter { $0 == 422 }.count == 20,
                "\(statuses)"
            )
            let list = try await stage.call(daemon, .get, "/v1/webhook-endpoints")["items"]?.items ?? []
            #expect(list.count == 20)
        }
    }
}
