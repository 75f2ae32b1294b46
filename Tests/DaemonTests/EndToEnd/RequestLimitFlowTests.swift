import Http
import Kernel
import Testing

/// Limits of a key and of a merchant: a daemon as a process, PostgreSQL.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RequestLimitFlowTests {
    private static func ask(_ stage: Stage, _ daemon: DaemonProcess, _ token: String) async throws -> HttpResponse {
        let headers = HttpHeaders([("Authorization", "Bearer \(token)")])
        return try await stage.send(.get, daemon.address + "/v1/payments", headers, [])
    }

    @Test func `a key sends as many requests as it was given, and hears how many are left`() async throws {
        try await Stage.run("keylimit") { stage, daemon in
            let limit: Json = ["requests": 3, "seconds": 3600]
            let body: Json = ["name": "limited", "role": "auditor", "limit": limit]
            let made = try await stage.call(daemon, .post, "/v1/keys", body, key: "limited")
            #expect(made["limit"] == limit)
            let token = try #require(made["token"]?.text)
            for left in [2, 1, 0] {
                let answer = try await Self.ask(stage, daemon, token)
                #expect(answer.status == 200)
                #expect(answer.headers["RateLimit-Policy"] == #""key";q=3;w=3600"#)
                #expect(answer.headers["RateLimit"]?.hasPrefix(#""key";r=\#(left);t="#) == true)
            }
            let refused = try await Self.ask(stage, daemon, token)
            let problem = try Json(refused.body)
            #expect(refused.status == 429 && problem["code"] == "rate_limited")
            let pause = try #require(refused.headers["Retry-After"].flatMap { Int($0) })
            #expect((1_000...1_200).contains(pause), "a third of an hour: \(pause)")
            #expect(refused.headers["RateLimit"]?.hasPrefix(#""key";r=0;t="#) == true)
            #expect(try await stage.exchange(daemon, .get, "/v1/payments").status == 200, "other keys go on")

            let narrow = try await stage.command(["keys", "--role", "admin", "--limit", "600/60", "create", "narrow"])
            let admin = try #require(narrow.split(separator: "\n").first { $0.hasPrefix("psk_") }.map(String.init))
            for (wanted, status) in [(["requests": 601, "seconds": 60], 403), (["requests": 10, "seconds": 1], 200)]
                as [(Json, Int)]
            {
                let headers = HttpHeaders([
                    ("Authorization", "Bearer \(admin)"), ("Content-Type", "application/json"),
                    ("Idempotency-Key", "child-\(status)"),
                ])
                let child: Json = ["name": "child", "scopes": ["read"], "limit": wanted]
                let answer = try await stage.send(.post, daemon.address + "/v1/keys", headers, child.compactBytes)
                #expect(answer.status == status, "\(wanted.canonicalText)")
            }
            let greedy: Json = ["name": "greedy", "scopes": ["read"], "limit": ["requests": 9000, "seconds": 1]]
            let answer = try await stage.exchange(daemon, .post, "/v1/keys", greedy, key: "greedy")
            #expect(try answer.status == 403 && Json(answer.body)["code"] == "grant_exceeded")
        }
    }

    @Test func `a merchant's limit holds for all of its keys together, and for nobody else`() async throws {
        try await Stage.run("merchantlimit") { stage, daemon in
            let tokens = [try await stage.newKey("one"), try await stage.newKey("two")]
            try await stage.command(["merchants", "create", "neighbour"])
            let printed = try await stage.command(["keys", "--merchant", "neighbour", "create", "n"])
            let foreign = try #require(printed.split(separator: "\n").first { $0.hasPrefix("psk_") }.map(String.init))
            try await stage.command(["merchants", "limit", "demo", "6/3600"])
            let refused = try await stage.until("the merchant is limited") {
                for token in tokens {
                    let answer = try await Self.ask(stage, daemon, token)
                    if answer.status == 429 { return .done(answer) }
                }
                return .notYet("all is answered")
            }
            #expect(refused.headers["RateLimit"]?.contains(#""merchant";r=0;t="#) == true)
            #expect(refused.headers["RateLimit-Policy"]?.hasSuffix(#", "merchant";q=6;w=3600"#) == true)
            #expect(try Json(refused.body)["detail"]?.text?.contains("together") == true)
            for token in tokens { #expect(try await Self.ask(stage, daemon, token).status == 429) }
            let other = try await Self.ask(stage, daemon, foreign)
            #expect(other.status == 200 && other.headers["RateLimit"]?.contains("merchant") == false)
            #expect(try await stage.command(["merchants", "list"]).contains("6/3600"))
            await #expect(throws: DaemonProcess.Failure.self) {
                try await stage.command(["merchants", "limit", "demo", "fast"])
            }
            try await stage.command(["merchants", "limit", "demo", "none"])
            try await stage.until("it asks again") {
                let answer = try await Self.ask(stage, daemon, tokens[0])
                return answer.status == 200 ? .done(()) : .notYet("\(answer.status)")
            }
            let acts = try await stage.call(daemon, .get, "/v1/audit?kind=merchant.limit_set.v1")["items"]?.items ?? []
            #expect(acts.count == 2 && acts.allSatisfy { $0["by"]?.text?.hasPrefix("owner:") == true })
            #expect(acts.last?.at("data", "limit", "requests") == 6)
        }
    }
}
