import Http
import Kernel
import Testing

/// Ids that clients make, over HTTP and SQL, and two merchants that made the same.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct MadeIdFlowTests {
    private static let id = "pay_0190000000007000800000000000f001"

    @Test func `the same id is the same payment, and another merchant's is free`() async throws {
        try await Stage.run("madeids") { stage, daemon in
            let body = Stage.newPayment("made", 7700, more: [("id", .string(Self.id))])
            let made = try await stage.exchange(daemon, .post, "/v1/payments", body, key: "made-1")
            #expect(try Json(made.body)["id"]?.text == Self.id)
            let again = try await stage.exchange(daemon, .post, "/v1/payments", body, key: "made-2")
            #expect(again.status == 200 && again.headers["Idempotent-Replayed"] == "true")
            let other = Stage.newPayment("made", 100, more: [("id", .string(Self.id))])
            let refused = try await stage.exchange(daemon, .post, "/v1/payments", other, key: "made-3")
            let code = try Json(refused.body)["code"]
            #expect(refused.status == 409 && code == "id_taken")
            try await stage.openPage(daemon, Self.id)
            try await stage.wait(daemon, Self.id, for: "captured")
            try await stage.strangerIsFree(daemon, Self.id)
            try await stage.command([
                "enqueue", "payment.create", "made-sql", try stage.sqlBody("pay_0190000000007000800000000000f002"),
            ])
            try await stage.until("the daemon has taken it") {
                let path = "/v1/payments/pay_0190000000007000800000000000f002"
                let status = try await stage.exchange(daemon, .get, path).status
                return status == 200 ? .done(()) : .notYet("\(status)")
            }
            try await stage.verifyReplay()
            try await stage.verifyViews()
        }
    }
}

extension Stage {
    /// Another merchant's payment of the same id begins as any other, and each sees its own.
    fileprivate func strangerIsFree(_ daemon: DaemonProcess, _ id: String) async throws {
        try await command(["merchants", "create", "stranger"])
        let printed = try await command([
            "keys", "--merchant", "stranger", "--scopes", "commands,read,admin", "create", "s",
        ])
        let token = try #require(printed.split(separator: "\n").first { $0.hasPrefix("psk_") }.map(String.init))
        func send(_ method: HttpMethod, _ path: String, _ body: Json?, key: String?) async throws -> HttpResponse {
            var headers = HttpHeaders([("Authorization", "Bearer " + token)])
            if body != nil { headers.set("Content-Type", "application/json") }
            if let key { headers.set("Idempotency-Key", key) }
            return try await self.send(method, daemon.address + path, headers, body?.compactBytes ?? [])
        }
        let account: Json = [
            "mode": "test", "name": "theirs", "provider": "ecommpay", "secrets": ["secretKey": .string(Self.secret)],
            "settings": [
                "currencies": ["EUR"], "gateUrl": .string(sandbox), "paymentPageUrl": .string(sandbox + "/payment"),
                "projectId": .integer(Self.project),
            ],
        ]
        #expect(try await send(.post, "/v1/accounts", account, key: "account").status == 200)
        #expect(try await send(.get, "/v1/payments/\(id)", nil, key: nil).status == 404)
        let body = Self.newPayment("theirs", 500, more: [("id", .string(id)), ("account", "theirs")])
        let made = try await send(.post, "/v1/payments", body, key: "made-1")
        #expect((201...202).contains(made.status), "\(String(decoding: made.body, as: UTF8.self))")
        let shown = try Json(try await send(.get, "/v1/payments/\(id)", nil, key: nil).body)
        #expect(shown.at("amount", "value") == 500 && shown["status"] == "requiresAction")
        #expect(try await payment(daemon, id)["status"] == "captured")
    }

    fileprivate func sqlBody(_ id: String) throws -> String {
        Self.newPayment("made-sql", 7700, more: [("id", .string(id))]).canonicalText
    }
}
