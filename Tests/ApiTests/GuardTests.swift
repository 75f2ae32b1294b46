import Api
import Http
import Kernel
import Payments
import TestKit
import Testing

/// What keeps strangers, floods and card data out.
@Suite struct GuardTests {
    private static let card = "4242 4242 4242 4242"

    @Test func `a card number in any member is refused naming the path`() async throws {
        try await ApiHarness.run { api throws in
            let texts = ["reference", "description", "customer", "account", "provider", "instrument"]
            for name in texts {
                let answer = try await Self.sale(api, [(name, .string(Self.card))])
                #expect(answer.code == "card_data_refused", "\(name): \(answer)")
                #expect(answer.path == name)
            }
            for (path, value) in [
                ("details", ["payer": ["firstName": .string(Self.card)]] as Json),
                ("metadata", ["note": "pan=4242424242424242"]), ("colour", "4242-4242-4242-4242"),
            ] {
                let answer = try await Self.sale(api, [(path, value)])
                #expect(answer.code == "card_data_refused", "\(path): \(answer)")
                #expect(answer.path?.hasPrefix(path) == true)
                #expect(!answer.text.contains("4242"))
            }
            let number = try await Self.sale(api, [("amount", ["value": 4_242_424_242_424_242, "currency": "EUR"])])
            #expect(number.code == "card_data_refused")
        }
    }

    @Test func `card data in path, query and headers is refused, and no key is consumed`() async throws {
        try await ApiHarness.run { api throws in
            let query = try await api.get("/v1/payments?reference=4242424242424242").expect(422)
            #expect(query.code == "card_data_refused")
            #expect(query.path == "query.reference")
            let path = try await api.get("/v1/payments/4242%204242%204242%204242").expect(422)
            #expect(path.path == "path.payment")
            let key = try await api.post("/v1/payments", ApiHarness.sale(), key: "4242424242424242").expect(422)
            #expect(key.path == "headers.Idempotency-Key")
            let header = try await api.send(.get, "/v1/payments", headers: [("Correlation-Id", Self.card)]).expect(422)
            #expect(header.path == "headers.Correlation-Id")
        }
    }

    @Test func `a merchant whose requests take half of the places begins no other until one is answered`() async throws
    {
        try await ApiHarness.run(places: 4) { api throws in
            api.wire.play { _ in .answered(.json(200, ["status": "success", "request_id": "r-1", "project_id": 42])) }
            let ids = [try await api.held(key: "a"), try await api.held(key: "b")]
            async let first = Self.capture(ids[0], api)
            async let second = Self.capture(ids[1], api)
            for id in ids {
                while try await api.payment(id).operations.last?.state != .pending { await Task.yield() }
            }
            let refused = try await api.get("/v1/payments").expect(429)
            #expect(refused.code == "rate_limited" && refused.header("Retry-After") == "1")
            try await api.send(.get, "/v1/payments", token: "psk_other").expect(200)
            for id in ids {
                try await api.deliver(
                    id,
                    CallbackOperation(id: 7002, type: "capture", status: "success", minor: 1999),
                    "success"
                )
            }
            try await first.expect(200)
            try await second.expect(200)
            try await api.get("/v1/payments").expect(200)
        }
    }

    private static func capture(_ id: PaymentId, _ api: ApiHarness) async throws -> Answer {
        try await api.post("/v1/payments/\(id)/capture", [:], key: "c-\(id)", headers: [("Prefer", "wait=20")])
    }

    @Test func `ids that look like card numbers are ids`() async throws {
        try await ApiHarness.run { api throws in
            let twin = "pay_4242424242424242aaaaaaaaaaaaaaaa"
            #expect(try await api.get("/v1/payments/\(twin)").expect(404).code == "payment_unknown")
            let key = "f4242424-2424-4242-8424-2424242424ab"
            try await api.post("/v1/payments", ApiHarness.sale(), key: key).expect(202)
        }
    }

    @Test func `no key, a strange key and a key of another kind are told apart`() async throws {
        try await ApiHarness.run { api throws in
            let none = try await api.send(.get, "/v1/payments", token: nil).expect(401)
            #expect(none.code == "key_missing")
            #expect(none.header("WWW-Authenticate")?.hasPrefix("Bearer") == true)
            let strange = try await api.send(.get, "/v1/payments", token: "psk_nobody").expect(401)
            #expect(strange.code == "key_unknown")
            let basic = try await api.send(.get, "/v1/payments", token: nil, headers: [("Authorization", "Basic cHNr")])
            #expect(try basic.expect(401).code == "key_missing")
        }
    }

    @Test func `each route asks for its scope and for no other`() async throws {
        try await ApiHarness.run { api throws in
            for route in Endpoints.all {
                guard let needed = route.scope else { continue }
                for scope in Scope.allCases where scope != needed {
                    let answer = try await api.send(
                        route.method,
                        Self.target(route),
                        route.body.rule == .json ? [:] : nil,
                        key: "k",
                        token: "psk_\(scope.rawValue)"
                    )
                    #expect(answer.status == 403, "\(route.id) with \(scope)")
                    #expect(answer.json["scope"] == .string(needed.rawValue))
                }
            }
        }
    }

    @Test func `a key that floods is told when to come back`() async throws {
        try await ApiHarness.run(rate: RateLimit(requestsPerSecond: 1, burst: 4)) { api throws in
            try await api.get("/v1/payments").expect(200)
            try await api.get("/v1/payments").expect(200)
            let answer = try await api.post("/v1/payments", ApiHarness.sale(), key: "k").expect(429)
            #expect(answer.code == "rate_limited")
            #expect(answer.header("Retry-After") == "1")
            #expect(answer.header("RateLimit-Policy") == "\"key\";q=4;w=4")
            #expect(answer.header("RateLimit") == "\"key\";r=0;t=4")
            let other = try await api.send(.get, "/v1/payments", token: "psk_read").expect(200)
            #expect(other.header("RateLimit") == "\"key\";r=3;t=1")
            #expect(try await api.send(.get, "/v1/payments", token: nil).header("RateLimit") == nil)
            api.clock.advance(by: .seconds(1))
            try await api.post("/v1/payments", ApiHarness.sale(), key: "k").expect(202)
        }
    }

    @Test func `what is too large or of another kind is refused`() async throws {
        try await ApiHarness.run { api throws in
            let long = Json.string(String(repeating: "x", count: Limits.apiBodyBytes))
            #expect(try await api.post("/v1/payments", long, key: "k").expect(413).code == "body_too_large")
            let target = "/v1/payments?reference=" + String(repeating: "x", count: Limits.targetBytes)
            #expect(try await api.get(target).expect(414).code == "target_too_long")
            let many = (0...Limits.headerCount).map { ("X-\($0)", "y") }
            #expect(try await api.send(.get, "/v1/payments", headers: many).expect(431).code == "headers_too_large")
            let text = try await api.post("/v1/payments", [:], key: "k", headers: [("Content-Type", "text/plain")])
            #expect(try text.expect(415).code == "media_type_unsupported")
            for type in [";", "", " ", ";charset=utf-8", "=;=", "application/json; charset=utf-16"] {
                let odd = try await api.post("/v1/payments", [:], key: "k", headers: [("Content-Type", type)])
                #expect(try odd.expect(415).code == "media_type_unsupported", "\(type)")
                let upload = try await api.send(
                    .put,
                    "/v1/bill-batches/bat_00000000000070008000000000000001/bills",
                    headers: [("Content-Type", type)]
                )
                #expect((400..<500).contains(upload.status), "\(type)")
            }
            for type in ["application/json;charset=\"UTF-8\"", "APPLICATION/JSON ;", "application/json;;x"] {
                let fine = try await api.post(
                    "/v1/payments",
                    ApiHarness.sale(),
                    key: type.filter { $0 != " " },
                    headers: [("Content-Type", type)]
                )
                try fine.expect(202)
            }
            let wrong = await api.api.handle(HttpRequest(method: .patch, target: "/v1/payments"), from: Self.peer)
            #expect(wrong.status == 405)
            #expect(wrong.headers["Allow"] == "GET, POST, HEAD")
        }
    }

    @Test func `an app's report may hold a token that other bodies have no room for`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create()
            let token = Json.string(String(repeating: "x", count: 96_000))
            let path = "/v1/payments/\(id)/confirm"
            try await api.post(path, ["paymentToken": token], key: "k").expect(422)
            let long = Json.string(String(repeating: "x", count: Limits.reportBodyBytes))
            #expect(try await api.post(path, ["paymentToken": long], key: "l").expect(413).code == "body_too_large")
        }
    }

    @Test func `answers of keyed routes are not kept by anybody`() async throws {
        try await ApiHarness.run { api throws in
            for target in ["/v1/payments", "/v1/accounts", "/v1/routing"] {
                #expect(try await api.get(target).header("Cache-Control") == "no-store")
            }
            let id = try await api.create()
            #expect(try await api.get("/v1/payments/\(id)").header("Cache-Control") == "private, no-cache")
        }
    }

    static let peer = Peer(address: "192.0.2.1")

    /// A target of a route, with ids that name nothing.
    static func target(_ route: Endpoint, _ real: [String: String] = [:]) -> String {
        let values = [
            "payment": "pay_8140c15c3bb95a4193c003f1f45fe70e", "transfer": "trf_8140c15c3bb95a4193c003f1f45fe70e",
            "dispute": "dsp_8140c15c3bb95a4193c003f1f45fe70e", "schedule": "sch_8140c15c3bb95a4193c003f1f45fe70e",
            "resolution": "8140c15c-3bb9-5a41-93c0-03f1f45fe70e", "instrument": "ins_8140c15c3bb95a4193c003f1f45fe70e",
            "inbox": "8140c15c-3bb9-5a41-93c0-03f1f45fe70e", "provider": "ecommpay", "merchant": "1",
            "key": "8140c15c-3bb9-5a41-93c0-03f1f45fe70e", "change": "8140c15c-3bb9-5a41-93c0-03f1f45fe70e",
            "batch": "bat_8140c15c3bb95a4193c003f1f45fe70e", "request": "req_8140c15c3bb95a4193c003f1f45fe70e",
            "account": "8140c15c-3bb9-5a41-93c0-03f1f45fe70e", "reference": "nnc4dqleynmmvfimpysjcdsdsa",
        ]
        return route.pattern.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            guard segment.hasPrefix("{") else { return String(segment) }
            let name = String(segment.dropFirst().dropLast())
            return real[name] ?? values[name] ?? "x"
        }.joined(separator: "/")
    }

    private static func sale(_ api: ApiHarness, _ changed: [(String, Json)]) async throws -> Answer {
        guard case .object(var body) = ApiHarness.sale() else { throw HarnessFailure(what: "sale") }
        for (name, value) in changed { body[name] = value }
        return try await api.post("/v1/payments", .object(body), key: "card").expect(422)
    }
}
