import Api
import EventSourcing
import Http
import Kernel
import TestKit
import Testing

/// What a merchant hears of its own requests, and what nobody hears.
@Suite struct RequestLogTests {
    /// Writes what was answered so far, as the daemon does every second.
    private static func write(_ api: ApiHarness) -> [RequestPage] {
        let pages = api.api.requestLog.take()
        api.tables.requestPages.keep(pages)
        api.api.requestLog.settle(isWritten: true)
        return pages
    }

    private static func id(_ answer: Answer) -> Uuid? { answer.header("Request-Id").flatMap { RequestId($0) }?.uuid }

    @Test func `every answer has an id, a problem names it, and it leads to the request at once and later`()
        async throws
    {
        try await ApiHarness.run { api throws in
            let refused = try await api.post("/v1/payments", ["mode": "sale"], key: "refused").expect(422)
            let name = try #require(refused.header("Request-Id"))
            #expect(refused.json["requestId"]?.text == name)
            for token in [nil, "psk_nobody"] {
                let strange = try await api.send(.get, "/v1/payments", token: token).expect(401)
                #expect(strange.header("Request-Id") != nil && strange.json["requestId"]?.text != name)
            }
            #expect(try await api.get("/nowhere").expect(404).json["requestId"] != nil)
            for isWritten in [false, true] {
                let found = try await api.get("/v1/requests/\(name)").expect(200).json
                #expect(found["status"] == 422 && found["code"] == refused.json["code"], "\(isWritten)")
                #expect(found["method"] == "POST" && found["route"] == "/v1/payments")
                #expect(found["address"] == "192.0.2.1" && found["at"]?.text?.hasPrefix("2027-01-15T") == true)
                #expect(found["command"]?.text?.hasPrefix("in_") == true && found["body"] == nil)
                _ = Self.write(api)
            }
            let foreign = try await api.send(.get, "/v1/requests/\(name)", token: "psk_other").expect(404)
            #expect(foreign.code == "request_unknown")
        }
    }

    @Test func `nobody without a key fills a log, and whoever is refused by his key does`() async throws {
        try await ApiHarness.run { api throws in
            _ = Self.write(api)
            for target in ["/v1/payments", "/v1/requests", "/nowhere", "/v1/payments/pay_1", "/openapi.json"] {
                try await api.send(.get, target, token: nil)
                try await api.send(.get, target, token: "psk_nobody")
                try await api.send(.get, target, token: "psk_" + String(repeating: "x", count: 300))
            }
            try await api.send(HttpRequest(method: .post, target: "/v1/notifications/ecommpay/1/x", body: [1]))
            #expect(Self.write(api).isEmpty)
            try await api.send(.get, "/v1/keys", token: "psk_commands").expect(403)
            let entry = try #require(Self.write(api).first?.entries.first)
            #expect(entry.code == "scope_missing" && entry.route == "/v1/keys")
        }
    }

    @Test func `of a path ids and plain names are kept, and of a query nothing`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create()
            _ = Self.write(api)
            let digits = "01900000000070008000000000000123"
            // The word of a link's page, as in its address.
            let link = "AAAAAQGQAAAAAHAAgAAAAAAAASNrZXlzYWJjZGVmZ2hpamtsbW5vcHFy"
            let paths = [
                ("/v1/payments/\(id)", "/v1/payments/\(id)"),
                ("/v1/payments/ann@example.org", "/v1/payments/{payment}"),
                ("/v1/payments/4242424242424242", "/v1/payments/{payment}"),
                ("/v1/payments/4242-4242-4242-4242", "/v1/payments/{payment}"),
                ("/v1/payments/+79130010101", "/v1/payments/{payment}"),
                ("/v1/payments/ann%40example.org/events", "/v1/payments/{payment}/events"),
                ("/v1/payments/psk_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGhIjKlMnOpQ", "/v1/payments/{payment}"),
                ("/v1/payments/psk_short", "/v1/payments/{payment}"),
                ("/v1/webhook-endpoints/whsec_AbCdEfGhIjKl", "/v1/webhook-endpoints/{endpoint}"),
                ("/v1/payment-links/\(link)", "/v1/payment-links/{link}"),
                ("/v1/payment-links/plink_\(digits)", "/v1/payment-links/plink_\(digits)"),
                ("/v1/events/evt_\(digits)v12n0", "/v1/events/evt_\(digits)v12n0"),
                ("/v1/payments?reference=ann%40example.org", "/v1/payments"),
            ]
            for (target, _) in paths {
                _ = try await api.get(target)
                api.clock.advance(by: .milliseconds(2))
            }
            #expect(Self.write(api).flatMap(\.entries).map(\.path) == paths.map(\.1))
            try await api.send(.put, "/v1/dunning-policies/gentle-2", ["giveUp": "mark"]).expect(200)
            #expect(Self.write(api).first?.entries.first?.path == "/v1/dunning-policies/gentle-2")
        }
    }

    @Test func `pages of a list go on where they ended, also where those of nodes overlap`() async throws {
        try await ApiHarness.run { api throws in
            _ = api.api.requestLog.take()
            var ids: [Uuid] = []
            for number in 0..<40 {
                let path = number % 8 == 3 ? "/v1/payments/pay_1" : "/v1/payments"
                ids.append(try #require(Self.id(try await api.get(path))))
                api.clock.advance(by: .milliseconds(7))
            }
            let entries = api.api.requestLog.take().flatMap(\.entries)
            // As three nodes would have written them.
            for node in 0..<3 {
                let own = entries.enumerated().filter { $0.offset % 3 == node }.map(\.element)
                for start in stride(from: 0, to: own.count, by: 5) {
                    let page = RequestPage(api.merchant, Array(own[start..<min(start + 5, own.count)]))
                    api.tables.requestPages.keep([page])
                }
            }
            #expect(try await Self.all(api, "limit=7").count == 40)
            let found = try await Self.all(api, "limit=7").compactMap { $0["id"]?.text.flatMap { RequestId($0) }?.uuid }
            #expect(found == ids.reversed())
            #expect(try await Self.all(api, "limit=2&status=404").count == 5)
            #expect(try await Self.all(api, "limit=2&code=payment_unknown").count == 5)
            #expect(try await Self.all(api, "limit=9&key=8140c15c-3bb9-5a41-93c0-03f1f45fe70e").isEmpty)
            for odd in ["status=99", "status=abc", "key=me", "limit=101", "cursor=abc", "colour=red"] {
                try await api.get("/v1/requests?\(odd)").expect(400)
            }
        }
    }

    @Test func `a merchant looks through its requests a few times at once, and hinders nobody`() async throws {
        try await ApiHarness.run { api throws in
            #expect(api.api.requestLooks.take(api.merchant) && api.api.requestLooks.take(api.merchant))
            let refused = try await api.get("/v1/requests?code=nowhere").expect(429)
            #expect(refused.code == "rate_limited" && refused.header("Retry-After") == "1")
            try await api.send(.get, "/v1/requests", token: "psk_other").expect(200)
            api.api.requestLooks.release(api.merchant)
            try await api.get("/v1/requests?code=nowhere").expect(200)
        }
    }

    /// Every page of a list; what listing itself adds stays in memory.
    private static func all(_ api: ApiHarness, _ query: String) async throws -> [Json] {
        var (found, cursor): ([Json], String?) = ([], nil)
        repeat {
            let place = cursor.map { "&cursor=\($0)" } ?? ""
            let page = try await api.get("/v1/requests?\(query)\(place)").expect(200).json
            found += page["items"]?.items ?? []
            cursor = page["next"]?.text
        } while cursor != nil
        return found
    }

    @Test func `a command is found by its idempotency key, which is kept nowhere`() async throws {
        try await ApiHarness.run { api throws in
            let key = "order-ann@example.org"
            try await api.post("/v1/payments", ApiHarness.sale(), key: key).expect(202)
            try await api.post("/v1/payments", ApiHarness.sale(), key: "another").expect(202)
            let pages = Self.write(api)
            #expect(!String(decoding: pages.flatMap(\.lines), as: UTF8.self).contains("ann"))
            let found = try await Self.all(api, "idempotencyKey=order-ann%40example.org")
            #expect(found.count == 1 && found.first?["status"] == 202)
        }
    }

    @Test func `one merchant's flood is cut to its newest and leaves room for others`() async throws {
        try await ApiHarness.run { api throws in
            _ = Self.write(api)
            let before = api.api.requestLog.lost
            let flood = RequestLog.merchantRequests + 300
            var ids: [Uuid] = []
            for _ in 0..<flood { ids.append(try #require(Self.id(try await api.get("/v1/payments/pay_1")))) }
            let other = Self.id(try await api.send(.get, "/v1/payments", token: "psk_other"))
            let pages = Self.write(api)
            let own = try #require(pages.first { $0.merchant == api.merchant })
            #expect(Set(own.entries.map(\.id)) == Set(ids.suffix(RequestLog.merchantRequests)))
            #expect(pages.first { $0.merchant != api.merchant }?.entries.first?.id == other)
            #expect(api.api.requestLog.lost == before + 300)
            _ = api.api.requestLog.take()
            api.clock.advance(by: .seconds(2))
            try await api.get("/v1/payments").expect(200)
            _ = api.api.requestLog.take()
            api.api.requestLog.settle(isWritten: false)
            #expect(api.api.requestLog.lost == before + 301, "what could not be written is lost, and counted")
        }
    }
}
