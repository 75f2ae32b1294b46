import Foundation
import PaystreamClient
import Testing

@Suite struct ExchangeTests {
    private static let sale = NewPayment(mode: .sale, amount: Money(1999, "EUR"), reference: "order-1")

    @Test func `a command keeps its key over its repetitions`() async throws {
        let client = ToldClient([
            .lost, .answer(503, ToldClient.problem(503, "unavailable")), .answer(502, "<html>"),
            .answer(201, ToldClient.payment),
        ])
        let payment = try await client.paystream.payments.create(Self.sale)
        #expect(payment.id == "pay_1")
        let requests = client.transport.requests
        #expect(requests.count == 4)
        let keys = Set(requests.map { $0.headers["Idempotency-Key"] })
        #expect(keys.count == 1)
        #expect(keys.first??.count == 36)
        #expect(Set(requests.map(\.body)).count == 1)
        #expect(requests[0].url.absoluteString == "http://127.0.0.1:1/base/v1/payments")
        #expect(client.clock.pauses == [.milliseconds(200), .milliseconds(400), .milliseconds(800)])
    }

    @Test func `two calls have two keys, and a key of the caller's is kept`() async throws {
        let client = ToldClient([.answer(201, ToldClient.payment), .answer(201, ToldClient.payment)])
        _ = try await client.paystream.payments.create(Self.sale)
        _ = try await client.paystream.payments.create(
            Self.sale,
            .init(key: "order-1", wait: .seconds(10), ifVersion: 7)
        )
        let requests = client.transport.requests
        #expect(requests[0].headers["Idempotency-Key"] != requests[1].headers["Idempotency-Key"])
        #expect(requests[1].headers["Idempotency-Key"] == "order-1")
        #expect(requests[1].headers["Prefer"] == "wait=10")
        #expect(requests[1].headers["If-Match"] == "\"7\"")
        #expect(requests[1].timeout == .seconds(40))
    }

    @Test func `what has no key is never sent twice once it may have been read`() async throws {
        for reply in [ToldTransport.Reply.lost, .answer(503, ToldClient.problem(503, "unavailable"))] {
            let client = ToldClient([reply, .answer(200, #"{"provider":"p","parameters":{}}"#)])
            await #expect(throws: PaystreamError.self) { try await client.paystream.payments.appParameters("pay_1") }
            #expect(client.transport.requests.count == 1)
        }
        let refused = ToldClient([
            .answer(429, ToldClient.problem(429, "rate_limited"), ["Retry-After": "3"]),
            .answer(200, #"{"provider":"p","parameters":{}}"#),
        ])
        _ = try await refused.paystream.payments.appParameters("pay_1")
        #expect(refused.clock.pauses == [.seconds(3)])
    }

    @Test func `a refusal is told and not repeated`() async throws {
        let client = ToldClient([.answer(422, ToldClient.problem(422, "amount_scale"), ["Request-Id": "r-1"])])
        let error = await #expect(throws: PaystreamError.self) { try await client.paystream.payments.create(Self.sale) }
        let problem = try #require(error?.problem)
        #expect(problem.code == "amount_scale")
        #expect(problem.path == "$.amount")
        #expect(problem.requestId == "r-1")
        #expect(client.transport.requests.count == 1)
        #expect(error.map { "\($0)" } == "422 amount_scale: D ($.amount)")
    }

    @Test func `a pause that is too long is not waited for`() async throws {
        let client = ToldClient([.answer(429, ToldClient.problem(429, "rate_limited"), ["Retry-After": "3600"])])
        let error = await #expect(throws: PaystreamError.self) { try await client.paystream.payments.get("pay_1") }
        #expect(error?.problem?.code == "rate_limited")
    }

    @Test func `attempts and time end, and the key is told`() async throws {
        let many = ToldClient(Array(repeating: .lost, count: 9))
        let lost = await #expect(throws: PaystreamError.self) {
            try await many.paystream.payments.create(Self.sale, .key("order-1"))
        }
        guard case .noAnswer(let failure)? = lost else { throw lost ?? .unsendable("no error") }
        #expect(failure.key == "order-1")
        #expect(many.transport.requests.count == 5)
        let short = ToldClient(Array(repeating: .lost, count: 9)) { $0.callTimeout = .milliseconds(500) }
        await #expect(throws: PaystreamError.self) { try await short.paystream.payments.create(Self.sale) }
        #expect(short.transport.requests.count == 2)
    }

    @Test func `a command that is only stored is asked about under its key until it is decided`() async throws {
        let stored = #"{"id":"pay_1","object":"payment","status":"accepted"}"#
        let client = ToldClient([.answer(202, stored), .answer(202, stored), .answer(202, ToldClient.payment)])
        let payment = try await client.paystream.payments.create(Self.sale)
        #expect(payment.version == 2)
        #expect(Set(client.transport.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        let never = ToldClient(Array(repeating: .answer(202, stored), count: 200))
        let error = await #expect(throws: PaystreamError.self) {
            try await never.paystream.payments.create(Self.sale, .key("order-1"))
        }
        guard case .undecided("pay_1", "order-1")? = error else { throw error ?? .unsendable("no error") }
    }

    @Test func `newer words and members are read`() async throws {
        let client = ToldClient([.answer(200, ToldClient.payment)])
        let payment = try await client.paystream.payments.get("pay_1")
        #expect(payment.status.known == nil)
        #expect(payment.status.text == "someday")
        #expect(payment.mode == .sale)
        #expect(payment.updatedAt.timeIntervalSince(payment.createdAt) > 0.123)
    }

    @Test func `names never reach beyond their place in an address`() async throws {
        let client = ToldClient([.answer(200, ToldClient.payment), .answer(200, ToldClient.payment)])
        _ = try await client.paystream.payments.get("../a b?c=/é")
        _ = try await client.paystream.payments.get("..")
        let paths = client.transport.requests.map(\.url.absoluteString)
        #expect(paths[0].hasSuffix("/v1/payments/..%2Fa%20b%3Fc%3D%2F%C3%A9"))
        #expect(paths[1].hasSuffix("/v1/payments/%2E%2E"))
        await #expect(throws: PaystreamError.self) {
            try await client.paystream.payments.create(Self.sale, .key("a\r\nX: y"))
        }
        #expect(client.transport.requests.count == 2)
    }

    @Test func `a list is read page by page, over pages without items`() async throws {
        let client = ToldClient([
            .answer(200, #"{"items":[\#(ToldClient.payment)],"next":"c+/1"}"#),
            .answer(200, #"{"items":[],"next":"c2"}"#),
            .answer(200, #"{"items":[\#(ToldClient.payment),\#(ToldClient.payment)]}"#),
        ])
        var count = 0
        for try await _ in client.paystream.payments.list(.init(reference: "a&b")) { count += 1 }
        #expect(count == 3)
        let queries = client.transport.requests.map { $0.url.absoluteString.split(separator: "?").last ?? "" }
        #expect(queries == ["reference=a%26b", "reference=a%26b&cursor=c%2B%2F1", "reference=a%26b&cursor=c2"])
    }

    @Test func `a key does not print`() {
        let key: Paystream.ApiKey = "psk_secret"
        #expect("\(key)" == "psk_…")
        var text = ""
        dump(Paystream.Configuration(url: ToldClient.base, key: key), to: &text)
        #expect(!text.contains("secret"))
        #expect(!String(reflecting: key).contains("secret"))
    }
}
