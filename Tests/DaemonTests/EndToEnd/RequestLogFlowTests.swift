import Glibc
import Http
import Kernel
import Testing

/// The request log: daemons as processes, PostgreSQL, and a stranger.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct RequestLogFlowTests {
    @Test func `a problem leads to its request on every node, over a restart, and to nobody else's`() async throws {
        try await Stage.run("requestlog") { stage, daemon in
            let other = try await stage.serve()
            _ = try await stage.paid(daemon, "logged", 7700)
            let refused = try await stage.exchange(daemon, .post, "/v1/payments", ["mode": "sale"], key: "refused")
            let problem = try Json(refused.body)
            let name = try #require(problem["requestId"]?.text)
            #expect(refused.headers["Request-Id"] == name && refused.status == 422)
            #expect(try await stage.call(daemon, .get, "/v1/requests/\(name)")["code"] == problem["code"])
            let elsewhere = try await stage.until("the other node has it") {
                let answer = try await stage.exchange(other, .get, "/v1/requests/\(name)")
                return answer.status == 200 ? .done(try Json(answer.body)) : .notYet("\(answer.status)")
            }
            #expect(elsewhere["route"] == "/v1/payments" && elsewhere["status"] == 422 && elsewhere["method"] == "POST")
            let last = try await stage.exchange(daemon, .get, "/v1/payments/pay_1")
            try await stage.end(daemon, SIGTERM)
            let late = try #require(last.headers["Request-Id"])
            #expect(
                try await stage.call(other, .get, "/v1/requests/\(late)")["status"] == 404,
                "a node ends with a page"
            )

            let listed = try await stage.tool(other, ["requests", "--status", "422", "list"])
            #expect(listed.contains(name) && listed.contains(problem["code"]?.text ?? "?"), "\(listed)")
            #expect(try await stage.tool(other, ["requests", "show", name]).contains("/v1/payments"))
            let found = try await stage.tool(other, ["requests", "--key", "refused", "--json"])
            let itself = "\"id\":\"\(name)\""
            #expect(found.split(separator: "\n").count == 1 && found.contains(itself), "\(found)")

            try await stage.command(["merchants", "create", "neighbour"])
            let printed = try await stage.command([
                "keys", "--merchant", "neighbour", "--role", "auditor", "create", "n",
            ])
            let foreign = try #require(printed.split(separator: "\n").first { $0.hasPrefix("psk_") }.map(String.init))
            let hidden = await #expect(throws: DaemonProcess.Failure.self) {
                try await stage.tool(other, ["requests", "show", name], key: foreign)
            }
            #expect(hidden?.description.contains("request_unknown") == true)
            let own = try await stage.tool(other, ["requests", "--json"], key: foreign)
            // His own questions are in his log, with the name that he asked for.
            #expect(!own.contains("pay_") && !own.contains(itself), "\(own)")
            let kept = try await stage.count(
                "paystream.request_page WHERE convert_from(lines, 'UTF8') ~ 'payer@example|psk_|logged'"
            )
            #expect(kept == 0, "no body, no token, no reference")
        }
    }

    @Test func `strangers fill nobody's log, and a refused caller fills his own`() async throws {
        try await Stage.run("requeststranger") { stage, daemon in
            for number in 0..<60 {
                let token = number % 2 == 0 ? [] : [("Authorization", "Bearer psk_stranger-\(number)")]
                for path in ["/v1/payments", "/v1/requests", "/nowhere", "/v1/payments/ann@example.org"] {
                    let answer = try await stage.send(.get, daemon.address + path, HttpHeaders(token), [])
                    #expect(answer.status == 401 || answer.status == 404, "\(path)")
                    #expect(answer.headers["Request-Id"]?.hasPrefix("req_") == true, "\(path)")
                }
            }
            let auditor = try await stage.newKey("auditor", scopes: "read,audit")
            let headers = HttpHeaders([("Authorization", "Bearer \(auditor)")])
            let refused = try await stage.send(.get, daemon.address + "/v1/payments/x@y.org/inputs/in_1", headers, [])
            try await stage.until("the last request is written") {
                let listed = try await stage.tool(daemon, ["requests", "--json", "--limit", "1000"])
                let name = refused.headers["Request-Id"] ?? "?"
                return listed.contains(name) ? .done(()) : .notYet(listed)
            }
            let listed = try await stage.tool(daemon, ["requests", "--json", "--limit", "1000"])
            #expect(!listed.contains("\"status\":401") && !listed.contains("nowhere") && !listed.contains("y.org"))
        }
    }
}
