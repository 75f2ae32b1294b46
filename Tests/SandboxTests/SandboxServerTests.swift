import Glibc
import Http
import HttpClient
import HttpServer
import Kernel
import Sandbox
import Testing

/// A merchant's server that takes callbacks and hands them to the test.
private final class Shop: Sendable {
    let url: String
    /// Bodies whose signature holds, in order of arrival.
    let callbacks: AsyncStream<Json>
    let rejected: Locked<Int>
    private let server: HttpServer

    init(statuses: [Int] = []) throws {
        let (stream, tell) = AsyncStream<Json>.makeStream()
        let left = Locked(statuses)
        let rejected = Locked(0)
        callbacks = stream
        self.rejected = rejected
        server = HttpServer(configuration: HttpServerConfiguration()) { request, _ in
            guard let body = try? Json(request.body),
                EcommpaySignature.check(body, key: SimulatorDriver.secret) == nil
            else {
                rejected.withLock { $0 += 1 }
                return .empty(400)
            }
            let status = left.withLock { $0.isEmpty ? 200 : $0.removeFirst() }
            tell.yield(body)
            return .text(status, "OK")
        }
        url = "http://127.0.0.1:\(try server.start())/hook"
    }

    func close() async { await server.drain(deadline: .zero) }

    /// The next callbacks, each as `payment.status`.
    func next(_ count: Int) async -> [String] {
        var words: [String] = []
        guard count > 0 else { return words }
        for await body in callbacks {
            words.append(body.at("payment", "status")?.text ?? "?")
            if words.count == count { break }
        }
        return words
    }
}

/// A sandbox on a real port, and a client for it.
private struct Served {
    let server: SandboxServer
    let base: String
    let client: HttpClient

    init(_ shop: Shop, journal: String? = nil, speed: Int64 = 1) async throws {
        let project = EcommpayProject(id: 42, secret: SimulatorDriver.secret, callbackUrl: shop.url)
        var configuration = SandboxConfiguration(ecommpayProjects: [project])
        configuration.journalPath = journal
        configuration.ecommpayTimings.speed = speed
        configuration.lostAnswerSilence = .seconds(30)
        server = SandboxServer(configuration)
        base = "http://127.0.0.1:\(try await server.start())"
        client = HttpClient()
    }

    func stop() async {
        await server.stop()
        await client.stop()
    }

    func send(
        _ method: HttpMethod,
        _ path: String,
        body: [UInt8] = [],
        accept: String = "application/json",
        deadline: Duration = .seconds(20)
    ) async -> ExchangeOutcome {
        await client.send(
            OutgoingRequest(
                method: method,
                url: base + path,
                headers: HttpHeaders([("Accept", accept), ("Content-Type", "application/json")]),
                body: body,
                deadline: deadline
            )
        )
    }

    func answer(_ method: HttpMethod, _ path: String, body: [UInt8] = [], accept: String = "*/*") async throws
        -> HttpResponse
    {
        guard case .answered(let response) = await send(method, path, body: body, accept: accept) else {
            throw NoAnswerCame(path: path)
        }
        return response
    }

    /// Opens a form and lets five seconds of the simulated clock pass at once.
    func open(_ id: String, amount: Int64, operation: String = "sale") async throws {
        let parameters = SimulatorDriver.parameters(id, amount: amount, [("operation_type", operation)])
        let opened = try await answer(.get, "/payment?" + SimulatorDriver.signedQuery(parameters))
        #expect(opened.status == 303)
        try await settle()
    }

    func settle() async throws {
        #expect(try await answer(.post, "/sandbox/clock", body: Array(#"{"advance":5}"#.utf8)).status == 200)
    }

    func payment(_ id: String) async throws -> Json {
        try Json(try await answer(.get, "/sandbox/payments/42/\(id)").body)
    }

    func refund(_ id: String, _ amount: Int64, deadline: Duration = .seconds(20)) async -> ExchangeOutcome {
        let body = SimulatorDriver.gateBody(id, [SimulatorDriver.sum(amount, refundId: "r-\(id)")])
        return await send(.post, "/v2/payment/refund", body: body, deadline: deadline)
    }
}

private struct NoAnswerCame: Error { let path: String }

/// The sandbox over real HTTP.
@Suite(.timeLimit(.minutes(2)))
struct SandboxServerTests {
    @Test func `every magic amount leads where the table says, over HTTP`() async throws {
        let shop = try Shop()
        let served = try await Served(shop)
        for row in EcommpayMagicAmountTests.rows {
            let id = "m-\(row.magic.rawValue)"
            try await served.open(id, amount: row.magic.minor, operation: row.operation)
            let payment = try await served.payment(id)
            #expect(payment["status"]?.text == row.status.rawValue, "\(row.magic)")
            #expect(payment.at("totals", "kept")?.integer == row.kept, "\(row.magic)")
        }
        await served.stop()
        await shop.close()
    }

    @Test func `a person clicks through a challenge, and the shop hears of it`() async throws {
        let shop = try Shop()
        let served = try await Served(shop)
        let query = SimulatorDriver.signedQuery(
            SimulatorDriver.parameters("click", [("merchant_success_url", "https://shop.example/ok")])
        )
        let html = "text/html,application/xhtml+xml"
        let opened = try await served.answer(.get, "/payment?" + query, accept: html)
        let form = try #require(opened.headers["Location"])
        #expect(
            String(decoding: try await served.answer(.get, form, accept: html).body, as: UTF8.self).contains("19.99")
        )
        let pay = Array("action=pay&card=visa-challenge".utf8)
        #expect(try await served.answer(.post, form, body: pay, accept: html).status == 303)
        #expect(await shop.next(1) == ["awaiting 3ds result"])
        #expect(try await served.answer(.post, form, body: Array("action=pass".utf8), accept: html).status == 303)
        #expect(await shop.next(1) == ["success"])
        let last = try await served.answer(.get, form, accept: html)
        #expect(String(decoding: last.body, as: UTF8.self).contains("https://shop.example/ok"))
        #expect(last.headers["Cache-Control"] == "no-store")
        await served.stop()
        await shop.close()
    }

    @Test func `each fault of an answer looks on the wire as it should, and the money moved once`() async throws {
        let shop = try Shop()
        let served = try await Served(shop)
        func refunded(_ magic: EcommpayMagicAmount, within deadline: Duration = .seconds(20)) async throws
            -> (ExchangeOutcome, Int64)
        {
            try await served.open("f-\(magic.rawValue)", amount: magic.minor)
            let outcome = await served.refund("f-\(magic.rawValue)", magic.minor, deadline: deadline)
            try await served.settle()
            let payment = try await served.payment("f-\(magic.rawValue)")
            return (outcome, payment.at("totals", "refunded")?.integer ?? -1)
        }
        let slow = try await refunded(.slowAnswer, within: .milliseconds(300))
        #expect(slow.0 == .sentNoAnswer(NoAnswer(.deadline)))
        #expect(slow.1 == 7770)
        let lost = try await refunded(.lostAnswer, within: .milliseconds(300))
        #expect(lost.0 == .sentNoAnswer(NoAnswer(.deadline)))
        #expect(lost.1 == 7771)
        let after = try await refunded(.errorAfter)
        if case .answered(let response) = after.0 { #expect(response.status == 500) } else { Issue.record("no answer") }
        #expect(after.1 == 7772)
        let before = try await refunded(.errorBefore)
        if case .answered(let response) = before.0 {
            #expect(response.status == 500)
        } else {
            Issue.record("no answer")
        }
        #expect(before.1 == 0)
        let page = try await refunded(.htmlAnswer)
        if case .answered(let response) = page.0 {
            #expect(response.headers["Content-Type"]?.hasPrefix("text/html") == true)
        } else {
            Issue.record("no answer")
        }
        #expect(page.1 == 7774)
        let huge = try await refunded(.hugeAnswer)
        if case .sentNoAnswer(let missing) = huge.0 {
            #expect(missing.reason == .tooLarge)
        } else {
            Issue.record("whole")
        }
        #expect(huge.1 == 7775)
        await served.stop()
        await shop.close()
    }

    @Test func `ordered faults strike over HTTP as often as asked`() async throws {
        let shop = try Shop()
        let served = try await Served(shop)
        try await served.open("o", amount: 7700)
        #expect(await shop.next(1) == ["success"])
        let order = Array(#"{"fault":"error_before","on":"status","times":2,"status":503}"#.utf8)
        #expect(try await served.answer(.post, "/sandbox/faults", body: order).status == 201)
        var statuses: [Int] = []
        for _ in 0..<3 {
            let body = SimulatorDriver.gateBody("o")
            statuses.append(try await served.answer(.post, "/v2/payment/status", body: body).status)
        }
        #expect(statuses == [503, 503, 200])
        let twice = Array(#"{"fault":"duplicate_callback"}"#.utf8)
        #expect(try await served.answer(.post, "/sandbox/faults", body: twice).status == 201)
        _ = await served.refund("o", 700)
        #expect(await shop.next(2) == ["partially refunded", "partially refunded"])
        await served.stop()
        await shop.close()
    }

    @Test func `callbacks are repeated until the shop says 200, and a forged one is never accepted`() async throws {
        let shop = try Shop(statuses: [500, 302, 404])
        let served = try await Served(shop, speed: 1000)
        try await served.open("r", amount: 7700)
        #expect(await shop.next(4) == Array(repeating: "success", count: 4))
        try await served.open("forged", amount: EcommpayMagicAmount.forgedSignature.minor)
        try await served.open("last", amount: 7700)
        #expect(await shop.next(1) == ["success"])
        await served.stop()
        await shop.close()
    }

    @Test func `an end in the middle loses nothing that a journal keeps`() async throws {
        let path = "/tmp/paystream-sandbox-server-\(getpid()).journal"
        unlink(path)
        defer { unlink(path) }
        let refusing = try Shop(statuses: Array(repeating: 503, count: 1000))
        let first = try await Served(refusing, journal: path, speed: 1)
        try await first.open("j", amount: 7700)
        #expect(await refusing.next(1) == ["success"])
        await first.stop()
        let restarted = try await Served(refusing, journal: path, speed: 1)
        let payment = try await restarted.payment("j")
        #expect(payment.at("totals", "kept") == 7700)
        #expect(await restarted.server.state(of: EcommpaySimulator.self)?.ledger.entries.count == 1)
        let more = Array(#"{"advance":60}"#.utf8)
        #expect(try await restarted.answer(.post, "/sandbox/clock", body: more).status == 200)
        #expect(await refusing.next(1) == ["success"], "what nobody accepted is tried again after the restart")
        await restarted.stop()
        await refusing.close()
    }

    @Test func `the app's side works over HTTP`() async throws {
        let shop = try Shop()
        let served = try await Served(shop)
        var object = JsonObject([
            ("projectID", 42), ("paymentID", "app"), ("paymentAmount", 1999), ("paymentCurrency", "EUR"),
            ("customerEmail", "a@example.org"),
        ])
        let asked = Json.compact([("parameters", .object(object))]).compactBytes
        let text = try Json(try await served.answer(.post, "/sandbox/app/ecommpay/params", body: asked).body)["params"]
        object["signature"] = .string(EcommpaySignature.sign(text: text?.text ?? "", key: SimulatorDriver.secret))
        let body = Json.compact([("sdk", "android"), ("scenario", "approve"), ("parameters", .object(object))])
        let answer = try await served.answer(.post, "/sandbox/app/ecommpay", body: body.compactBytes)
        #expect(try Json(answer.body).at("result", "code") == 1)
        #expect(await shop.next(1) == ["success"])
        await served.stop()
        await shop.close()
    }
}
