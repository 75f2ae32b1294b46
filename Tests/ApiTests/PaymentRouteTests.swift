import Api
import EventSourcing
import Http
import Kernel
import Payments
import TestKit
import Testing

/// What backends do with payments.
@Suite struct PaymentRouteTests {
    @Test func `a payment is created, read, listed and found by its reference`() async throws {
        try await ApiHarness.run { api throws in
            let made = try await api.post("/v1/payments", ApiHarness.sale(), key: "create-1").expect(202)
            let id = made.json["id"]?.text ?? ""
            #expect(made.header("Location") == "/v1/payments/\(id)")
            #expect(made.header("Paystream-Mode") == "test")
            #expect(made.json["status"] == "requiresAction")
            let read = try await api.get("/v1/payments/\(id)").expect(200)
            #expect(read.json == made.json)
            #expect(read.header("ETag") == "\"\(made.json["version"]?.integer ?? 0)\"")
            let found = try await api.get(
                "/v1/payments?reference=order-1042&status=requiresAction&account=ecommpay-eur"
            )
            #expect(found.json["items"]?.items?.map { $0["id"] } == [.string(id)])
            #expect(try await api.get("/v1/payments?reference=other").json["items"] == [])
            #expect(try await api.get("/v1/payments?account=nobody").json["items"] == [])
            let row = try await api.get("/v1/payments/\(id)/read-model").expect(200)
            #expect(row.json["version"] == made.json["version"])
        }
    }

    @Test func `the resource looks as its golden file says`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.paid()
            let dispute: Json = ["amount": Self.euro(500), "reason": "not received"]
            try await api.post("/v1/payments/\(id)/disputes", dispute, key: "dispute").expect(200)
            let shown = try await api.get("/v1/payments/\(id)").expect(200)
            #expect(GoldenFile("payment.json").difference(from: shown.json.canonicalText) == nil)
            let row = try await api.get("/v1/payments/\(id)/read-model").expect(200)
            #expect(GoldenFile("read-model.json").difference(from: row.json.canonicalText) == nil)
        }
    }

    @Test func `a held payment shows what can be captured, and a refused capture says the same`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.held()
            let plan = try await api.get("/v1/payments/\(id)").expect(200).json["capturePlan"]
            #expect(plan?["capturable"] == 1999 && plan?["authorized"] == 1999 && plan?["final"] == false)
            let path = "/v1/payments/\(id)/capture"
            let refused = try await api.post(path, ["amount": Self.euro(5000)], key: "too-much").expect(422)
            #expect(refused.code == "amount_exceeds_available")
            #expect(refused.json["capturePlan"] == plan)
            let sale = try await api.create(key: "sale")
            #expect(try await api.get("/v1/payments/\(sale)").expect(200).json["capturePlan"] == nil)
        }
    }

    @Test func `personal fields are sealed before the command is stored`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create()
            let stored = try await api.store.load([(api.stream(id), 0)])[0].flatMap(\.data)
            #expect(!String(decoding: stored, as: UTF8.self).contains("ann@example.org"))
            let events = try await api.get("/v1/payments/\(id)/events").expect(200)
            #expect(!events.text.contains("$sealed"))
            #expect(events.text.contains("\"email\":{\"sealed\":true}"))
        }
    }

    @Test func `the same key and command answer the version that the command committed`() async throws {
        try await ApiHarness.run { api throws in
            let first = try await api.post("/v1/payments", ApiHarness.sale(), key: "same").expect(202)
            let id = try #require(first.json["id"]?.text.flatMap { PaymentId($0) })
            let operation = CallbackOperation(id: 1, type: "sale", status: "success", minor: 1999)
            try await api.deliver(id, operation, "success")
            let again = try await api.post(
                "/v1/payments",
                ApiHarness.sale(),
                key: "same",
                headers: [("Prefer", "wait=5")]
            )
            try again.expect(200)
            #expect(again.json == first.json)
            #expect(again.header("Idempotent-Replayed") == "true")
            #expect(try await api.get("/v1/payments/\(id)").json["status"] == "captured")
        }
    }

    @Test func `members in another order are the same command and another amount is not`() async throws {
        try await ApiHarness.run { api throws in
            let body: Json = ["mode": "sale", "amount": ["value": 100, "currency": "EUR"], "details": Self.contact]
            let turned: Json = ["details": Self.contact, "amount": ["currency": "EUR", "value": 100], "mode": "sale"]
            try await api.post("/v1/payments", body, key: "k").expect(202)
            try await api.post("/v1/payments", turned, key: "k").expect(200)
            let other: Json = ["mode": "sale", "amount": ["value": 101, "currency": "EUR"], "details": Self.contact]
            #expect(try await api.post("/v1/payments", other, key: "k").expect(409).code == "idempotency_conflict")
        }
    }

    @Test func `a personal value that the page would not take is refused before it is sealed, and the key is free`()
        async throws
    {
        try await ApiHarness.run { api throws in
            func body(_ name: String) -> Json {
                let payer: Json = ["email": "ann@example.org", "lastName": .string(name)]
                return ["mode": "sale", "amount": ["value": 100, "currency": "EUR"], "details": ["payer": payer]]
            }
            let answer = try await api.post("/v1/payments", body("Smith; Jones"), key: "k").expect(422)
            #expect(answer.code == "value_not_allowed")
            #expect(answer.path == "details.payer.lastName")
            try await api.post("/v1/payments", body("Smith"), key: "k").expect(202)
        }
    }

    @Test func `a key that made a payment can't capture it`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.held()
            let answer = try await api.post("/v1/payments/\(id)/capture", [:], key: "create-1").expect(409)
            #expect(answer.code == "idempotency_conflict")
        }
    }

    @Test func `a recorded rejection is repeated with the key`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create()
            let first = try await api.post("/v1/payments/\(id)/capture", key: "capture").expect(422)
            #expect(first.code == "nothing_to_capture")
            #expect(first.header("Idempotent-Replayed") == nil)
            #expect(first.header("Paystream-Mode") == "test")
            let operation = CallbackOperation(id: 1, type: "auth", status: "success", minor: 1999)
            try await api.deliver(id, operation, "awaiting capture")
            let again = try await api.post("/v1/payments/\(id)/capture", key: "capture").expect(422)
            #expect(again.code == "nothing_to_capture")
            #expect(again.header("Idempotent-Replayed") == "true")
        }
    }

    @Test func `a refusal for form does not consume the key`() async throws {
        try await ApiHarness.run { api throws in
            try await api.post("/v1/payments", ["mode": "sale"], key: "k").expect(422)
            try await api.send(.post, "/v1/payments", ApiHarness.sale(), key: "k", token: "psk_read").expect(403)
            try await api.post("/v1/payments", ApiHarness.sale(), key: "k").expect(202)
        }
    }

    @Test func `a capture waits for its outcome where the client prefers to`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.held()
            api.wire.play { _ in .answered(.json(200, ["status": "success", "request_id": "r-1", "project_id": 42])) }
            async let waiting = api.post("/v1/payments/\(id)/capture", [:], key: "c", headers: [("Prefer", "wait=20")])
            while try await api.payment(id).operations.last?.state != .pending { await Task.yield() }
            let operation = CallbackOperation(id: 7002, type: "capture", status: "success", minor: 1999)
            try await api.deliver(id, operation, "success")
            let answer = try await waiting.expect(200)
            #expect(answer.json["status"] == "captured")
            #expect(answer.header("Preference-Applied") == "wait=20")
            let again = try await api.post("/v1/payments/\(id)/capture", [:], key: "c").expect(200)
            #expect(again.json["status"] == "authorized")
        }
    }

    @Test func `without a preference a command answers what was committed`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.held()
            let answer = try await api.post("/v1/payments/\(id)/capture", ["amount": Self.euro(500)], key: "c").expect(
                202
            )
            #expect(answer.json["operations"]?.items?.last?["state"] == "requested")
            #expect(answer.json["operations"]?.items?.last?["amount"] == Self.euro(500))
            #expect(answer.header("Preference-Applied") == nil)
        }
    }

    @Test func `a payment that waits for its payer is an outcome`() async throws {
        try await ApiHarness.run { api throws in
            let made = try await api.post("/v1/payments", ApiHarness.sale(), key: "k", headers: [("Prefer", "wait=30")])
            try made.expect(201)
            #expect(made.header("Preference-Applied") == "wait=30")
        }
    }

    @Test func `a client that holds the version gets no body`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create()
            let tag = try await api.get("/v1/payments/\(id)").header("ETag") ?? ""
            let answer = try await api.send(.get, "/v1/payments/\(id)", headers: [("If-None-Match", tag)])
            try answer.expect(304)
            #expect(answer.response.body.isEmpty)
        }
    }

    @Test func `pages follow each other without holes`() async throws {
        try await ApiHarness.run { api throws in
            for number in 0..<5 {
                _ = try await api.create(key: "create-\(number)")
                api.clock.advance(by: .milliseconds(number % 2))
            }
            var seen: [Json] = []
            var target = "/v1/payments?limit=2"
            while true {
                let page = try await api.get(target).expect(200)
                seen += (page.json["items"]?.items ?? []).compactMap { $0["id"] }
                guard let next = page.json["next"]?.text else { break }
                target = "/v1/payments?limit=2&cursor=\(next)"
            }
            #expect(seen.count == 5)
            #expect(Set(seen).count == 5)
        }
    }

    @Test func `a log is read in pages by version`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create()
            let first = try await api.get("/v1/payments/\(id)/events?limit=2").expect(200)
            #expect(first.json["items"]?.items?.map { $0["version"] } == [1, 2])
            let rest = try await api.get("/v1/payments/\(id)/events?after=\(first.json["next"]?.text ?? "")").expect(
                200
            )
            #expect(rest.json["items"]?.items?.first?["version"] == 3)
            #expect(rest.json["next"] == nil)
        }
    }

    @Test func `another merchant's key finds nothing`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create()
            for target in ["/v1/payments/\(id)", "/v1/payments/\(id)/events", "/v1/payments/\(id)/next-action"] {
                try await api.send(.get, target, token: "psk_other").expect(404)
            }
            let answer = try await api.send(.post, "/v1/payments/\(id)/void", key: "v", token: "psk_other")
            #expect(try answer.expect(404).code == "payment_unknown")
            #expect(try await api.send(.get, "/v1/payments", token: "psk_other").json["items"] == [])
        }
    }

    @Test func `a trace goes on and a broken one begins anew`() async throws {
        try await ApiHarness.run { api throws in
            let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
            let parent = "00-\(trace)-00f067aa0ba902b7-01"
            let answer = try await api.send(.get, "/v1/accounts", headers: [("traceparent", parent)])
            #expect(answer.header("traceparent")?.contains(trace) == true)
            #expect(answer.header("traceparent") != parent)
            let other = try await api.send(.get, "/v1/accounts", headers: [("traceparent", "00-zz")])
            #expect(other.header("traceparent")?.count == 55)
        }
    }

    static let contact: Json = ["payer": ["email": "ann@example.org"]]

    static func euro(_ minor: Int64) -> Json { ["value": .integer(minor), "currency": "EUR"] }
}
