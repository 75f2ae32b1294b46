import Http
import Kernel
import Testing

/// Every member of what is posted about keys and persons has an effect that is shown.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct AccessMembersTests {
    private static let bodies: [Json] = [
        [
            "name": "by role", "role": "auditor", "expiresAt": "2099-01-01T00:00:00.000000Z",
            "networks": ["10.0.0.0/8"],
        ],
        ["name": "by scopes", "scopes": ["read", "audit"], "limit": ["requests": 600, "seconds": 60]],
    ]

    @Test func `a key keeps every member that it is made, rotated and revoked with`() async throws {
        try await Stage.run("accessmembers") { stage, daemon in
            var made: [Json] = []
            for (index, body) in Self.bodies.enumerated() {
                made.append(try await stage.call(daemon, .post, "/v1/keys", body, key: "key-\(index)"))
                for member in body.members?.members ?? [] {
                    #expect(made[index][member.name] == member.value, "\(member.name)")
                }
            }
            try await stage.holdEvery(daemon, "CreateKey", Self.bodies)
            let path = "/v1/keys/\(try #require(made[0]["id"]?.text))"
            let overlap: Json = ["overlapSeconds": 3600]
            let rotated = try await stage.call(daemon, .post, path + "/rotate", overlap, key: "rotate")
            #expect(rotated["oldTokenUntil"] != nil && rotated["token"] != made[0]["token"])
            try await stage.holdEvery(daemon, "RotateKey", [overlap])
            let reason: Json = ["reason": "its holder left"]
            #expect(try await stage.call(daemon, .post, path + "/revoke", reason, key: "revoke")["state"] == "revoked")
            let acts = try await stage.call(daemon, .get, "/v1/audit")
            #expect(acts.canonicalText.contains("its holder left"))
            try await stage.holdEvery(daemon, "RevokeKey", [reason])
            for (bad, member) in [
                (["name": "x", "role": "king"], "role"), (["name": "x", "scopes": ["fly"]], "scopes"),
                (["name": "x", "role": "auditor", "networks": ["10.0.0.0/33"]], "networks"),
                (["name": "x", "role": "auditor", "networks": [""]], "networks"), (["role": "auditor"], "name"),
                (["name": "x", "role": "auditor", "limit": ["requests": 0, "seconds": 60]], "limit.requests"),
                (["name": "x", "role": "auditor", "limit": ["requests": 9, "seconds": 86_401]], "limit.seconds"),
                (["name": "x", "role": "auditor", "limit": ["requests": 9]], "limit.seconds"),
                (["name": "x", "role": "auditor", "expiresAt": "2001-01-01T00:00:00Z"], "expiresAt"),
            ] as [(Json, String)] { try await stage.refuses(daemon, "/v1/keys", bad, member) }
        }
    }

    @Test func `the number of persons and the reason of a rejection are kept`() async throws {
        try await Stage.run("accesstwo") { stage, daemon in
            let printed = try await stage.command(["keys", "--json", "--role", "approver", "create", "second"])
            let approver = try Json(text: String(printed.prefix { $0 != "\n" }))
            let two: Json = ["persons": 2]
            #expect(try await stage.call(daemon, .put, "/v1/merchant/persons", two, key: "two")["persons"] == 2)
            try await stage.holdEvery(daemon, "SetPersons", [two])
            _ = try await stage.exchange(daemon, .put, "/v1/merchant/persons", ["persons": 1], key: "one")
            let waiting = try await stage.call(daemon, .get, "/v1/changes")["items"]?.items?.first
            let path = "/v1/changes/\(try #require(waiting?["id"]?.text))/reject"
            let reason: Json = ["reason": "two are right"]
            try await stage.holdEvery(daemon, "RejectChange", [reason])
            let headers = HttpHeaders([
                ("Authorization", "Bearer \(approver["key"]?.text ?? "")"), ("Content-Type", "application/json"),
                ("Idempotency-Key", "no"),
            ])
            let answer = try await stage.send(.post, daemon.address + path, headers, reason.compactBytes)
            #expect(answer.status == 200)
            #expect(try Json(answer.body)["reason"] == "two are right")
        }
    }
}
