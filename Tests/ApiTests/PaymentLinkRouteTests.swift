import Api
import EventSourcing
import Http
import Kernel
import Payments
import TestKit
import Testing

/// What merchants do with payment links, and what their payers can begin.
@Suite struct PaymentLinkRouteTests {
    private static func body(_ more: [(String, Json)] = []) -> Json {
        var body = JsonObject([("amount", ["value": 1999, "currency": "EUR"])])
        for (name, value) in more { body[name] = value }
        return .object(body)
    }

    /// A new link's id and the token of its page.
    private static func link(_ api: ApiHarness, _ more: [(String, Json)] = [], key: String = "link") async throws
        -> (id: String, token: String)
    {
        let made = try await api.post("/v1/payment-links", body(more), key: key).expect(201).json
        let url = try #require(made["url"]?.text)
        #expect(url.hasPrefix("https://pay.example/pay/"))
        return (try #require(made["id"]?.text), String(url.split(separator: "/").last ?? ""))
    }

    private static func state(_ api: ApiHarness, _ token: String, _ payment: PaymentId? = nil) async throws -> String {
        switch try await api.api.linkPage(token, payment: payment).state {
        case .open(let methods, let hasFailed): "open \(methods.joined(separator: ","))\(hasFailed ? " again" : "")"
        case .pending(_, let address): "pending \(address == nil ? "nowhere" : "there")"
        case .unknown: "unknown"
        case .paid: "paid"
        case .closed(let status): "closed \(status.rawValue)"
        }
    }

    private static func status(_ api: ApiHarness, _ id: String) async throws -> Json? {
        try await api.get("/v1/payment-links/\(id)").expect(200).json["status"]
    }

    private static func end(_ api: ApiHarness, _ id: PaymentId, _ status: String, _ operation: Int64) async throws {
        let told = CallbackOperation(id: operation, type: "sale", status: status, minor: 1999)
        try await api.deliver(id, told, status)
    }

    @Test func `a link is made, read, listed page by page and made once for its key`() async throws {
        try await ApiHarness.run { api throws in
            let more: [(String, Json)] = [("reference", "order-1"), ("payee", "Tea"), ("metadata", ["a": "b"])]
            let (id, token) = try await Self.link(api, more)
            let read = try await api.get("/v1/payment-links/\(id)").expect(200).json
            #expect(read["status"] == "open" && read["uses"] == "once" && read["mode"] == "sale")
            #expect(read["payee"] == "Tea" && read["reference"] == "order-1" && read["metadata"] == ["a": "b"])
            #expect(!token.contains(id.dropFirst("plink_".count)), "the address is not the id")
            let again = try await api.post("/v1/payment-links", Self.body(more), key: "link").expect(200)
            #expect(again.json == read && again.header("Idempotent-Replayed") == "true")
            _ = try await Self.link(api, key: "second")
            _ = try await Self.link(api, key: "third")
            let first = try await api.get("/v1/payment-links?limit=2").expect(200).json
            #expect(first["items"]?.items?.count == 2)
            let cursor = try #require(first["next"]?.text)
            let rest = try await api.get("/v1/payment-links?limit=2&cursor=\(cursor)").expect(200).json
            #expect(rest["items"]?.items?.map { $0["id"] } == [.string(id)] && rest["next"] == nil)
            for target in ["/v1/payment-links/\(id)", "/v1/payment-links/\(id)/deactivate"] {
                let method: HttpMethod = target.hasSuffix("deactivate") ? .post : .get
                let key = method == .post ? "theirs" : nil
                #expect(try await api.send(method, target, key: key, token: "psk_other").status == 404)
            }
        }
    }

    private static let bad: [(Json, String)] = [
        (["returnUrl": "javascript:alert(1)"], "returnUrl"), (["returnUrl": "http://shop.example"], "returnUrl"),
        (["returnUrl": "https://a b"], "returnUrl"), (["methods": ["cash"]], "methods.0"),
        (["methods": ["card", "card"]], "methods.1"), (["methods": ["sberpay"]], "methods.0"),
        (["mode": "tokenize"], "mode"), (["uses": "twice"], "uses"), (["language": "de"], "language"),
        (["expiresAt": "2020-01-01T00:00:00Z"], "expiresAt"), (["amount": ["value": 0, "currency": "EUR"]], "amount"),
        (["payee": .string(String(repeating: "x", count: 101))], "payee"), (["colour": "red"], "colour"),
        (["customer": "4242 4242 4242 4242"], "customer"),
    ]

    @Test(arguments: bad)
    func `what a link can't have is refused by its name`(_ more: Json, _ path: String) async throws {
        try await ApiHarness.run { api throws in
            var body = Self.body().members ?? JsonObject([])
            for member in more.members?.members ?? [] { body[member.name] = member.value }
            let answer = try await api.post("/v1/payment-links", .object(body), key: "bad").expect(422)
            #expect(answer.path?.hasPrefix(path) == true, "\(answer)")
        }
    }

    @Test func `what no account serves makes no link`() async throws {
        try await ApiHarness.run { api throws in
            let body: Json = ["amount": ["value": 1999, "currency": "JPY"]]
            let answer = try await api.post("/v1/payment-links", body, key: "none").expect(422)
            #expect(answer.code == "no_account_for_payment")
        }
    }

    @Test func `an address that nobody gave out shows nothing, whatever it looks like`() async throws {
        try await ApiHarness.run { api throws in
            let (id, token) = try await Self.link(api)
            let changed = token.dropLast() + (token.hasSuffix("A") ? "B" : "A")
            let bytes = try #require(Base64.decode(token, .url))
            let other = Base64.encode([0, 0, 0, 2] + bytes.dropFirst(4), .url)
            for forged in [id, "", "A", String(changed), other, String(repeating: "A", count: 54), token + "A"] {
                await #expect(throws: Problem.self, "\(forged)") { try await api.api.linkPage(forged, payment: nil) }
            }
            #expect(try await Self.state(api, token) == "open card")
        }
    }

    @Test func `a link of one use has one payment at a time, however often and from however many pages it is begun`()
        async throws
    {
        try await ApiHarness.run { api throws in
            let (id, token) = try await Self.link(api)
            let pages = [
                try await api.api.linkPage(token, payment: nil), try await api.api.linkPage(token, payment: nil),
            ]
            let first = try await api.pay(token, form: pages[0])
            #expect(try await api.pay(token, form: pages[0]) == first, "a double click")
            #expect(try await api.pay(token, form: pages[1]) == first, "another page")
            #expect(try await Self.state(api, token) == "pending there")
            #expect(try await api.payment(first).terms?.paymentLink?.text == id)
            let shown = try await api.get("/v1/payments/\(first)").expect(200).json
            #expect(shown["paymentLink"]?.text == id)
            #expect(try await Self.status(api, id) == "pending")

            try await Self.end(api, first, "decline", 1)
            #expect(try await Self.state(api, token) == "open card again")
            let second = try await api.pay(token, form: pages[1])
            #expect(second != first, "the first ended without money")
            try await Self.end(api, second, "success", 2)
            #expect(try await Self.state(api, token) == "paid")
            #expect(try await api.pay(token, form: pages[0]) == second, "it is paid, and nothing begins")
            let read = try await api.get("/v1/payment-links/\(id)").expect(200).json
            #expect(read["status"] == "paid")
            #expect(read["payments"]?.items?.map { $0["status"] } == ["failed", "captured"])
        }
    }

    @Test func `late money on a failed try pays the link, and is owed by a person`() async throws {
        try await ApiHarness.run { api throws in
            let (id, token) = try await Self.link(api)
            let first = try await api.pay(token)
            try await Self.end(api, first, "decline", 1)
            let second = try await api.pay(token)
            try await Self.end(api, first, "success", 3)
            #expect(try await Self.status(api, id) == "paid")
            #expect(try await Self.state(api, token) == "paid", "nothing more is asked of the payer")
            let owed = try await api.get("/v1/payments/\(first)").expect(200).json["obligations"]?.items ?? []
            #expect(owed.contains { $0["kind"] == "lateSuccess" }, "\(owed)")
            #expect(try await api.pay(token) == second, "no third one begins")
        }
    }

    @Test func `while nobody knows what became of a payment, nothing else begins`() async throws {
        try await ApiHarness.run { api throws in
            let account: Json = [
                "name": "dolyame", "provider": "dolyame", "mode": "test", "settings": ["login": "shop"],
                "secrets": ["password": "p", "clientCertificate": "c", "clientKey": "k"],
            ]
            try await api.post("/v1/accounts", account, key: "configure-dolyame").expect(200)
            try await api.send(.put, "/v1/routing", ["accounts": ["dolyame"]], key: "instalments").expect(200)
            let amount: Json = ["value": 460_000, "currency": "RUB"]
            let (id, token) = try await Self.link(api, [("amount", amount), ("mode", "authorize")])
            #expect(try await Self.state(api, token) == "open instalments")
            // The order may have been opened; its answer was lost.
            let payment = try await api.pay(token, method: "instalments")
            for _ in 0..<100 where try await api.payment(payment).status != .indeterminate {
                let version = try await api.payment(payment).version
                await api.reader.wait(for: api.stream(payment), past: version, atMost: .seconds(1))
            }
            #expect(try await Self.state(api, token) == "unknown")
            #expect(try await Self.status(api, id) == "pending")
            #expect(try await api.pay(token, method: "instalments") == payment)
        }
    }

    @Test func `a link of many uses has a payment for each form, and shows each payer their own`() async throws {
        try await ApiHarness.run { api throws in
            let (id, token) = try await Self.link(api, [("uses", "many")])
            let page = try await api.api.linkPage(token, payment: nil)
            let first = try await api.pay(token, form: page)
            #expect(try await api.pay(token, form: page) == first)
            let second = try await api.pay(token)
            #expect(second != first)
            try await Self.end(api, first, "success", 1)
            #expect(try await Self.state(api, token, first) == "paid")
            #expect(try await Self.state(api, token, second) == "pending there")
            #expect(try await Self.state(api, token) == "open card")
            #expect(try await Self.status(api, id) == "open")
            let stranger = try await api.create()
            #expect(try await Self.state(api, token, stranger) == "open card", "another payment says nothing here")
        }
    }

    @Test func `nothing begins by a link that has ended`() async throws {
        try await ApiHarness.run { api throws in
            let (id, token) = try await Self.link(api)
            let page = try await api.api.linkPage(token, payment: nil)
            try await api.post("/v1/payment-links/\(id)/deactivate", [:], key: "off").expect(200)
            try await api.post("/v1/payment-links/\(id)/deactivate", [:], key: "off-again").expect(200)
            #expect(try await Self.state(api, token) == "closed deactivated")
            await #expect(throws: Problem.self) { try await api.pay(token, form: page) }
            let end = api.clock.now.adding(.seconds(60))
            let (short, other) = try await Self.link(api, [("expiresAt", end.json)], key: "short")
            api.clock.advance(by: .seconds(61))
            #expect(try await Self.state(api, other) == "closed expired")
            #expect(try await Self.status(api, short) == "expired")
            await #expect(throws: Problem.self) { try await api.pay(other) }
        }
    }

    @Test(arguments: ["uk", nil])
    func `a payer comes back to the page in the language that they chose, or in the browser's`(chosen: String?)
        async throws
    {
        try await ApiHarness.run { api throws in
            let (_, token) = try await Self.link(api, [("language", "fr")])
            let id = try await api.pay(token, chosen: chosen)
            let payment = try await api.payment(id)
            let reference = payment.attempt?.reference ?? ""
            let back = try await api.get("/v1/return/\(api.merchant)/\(payment.account?.id.compact ?? "")/\(reference)")
            let language = chosen.map { "&lang=\($0)" } ?? ""
            #expect(try back.expect(303).header("Location") == "/pay/\(token)?payment=\(id)\(language)")
        }
    }

    @Test func `a form is of its page, and asks for what the page offers`() async throws {
        try await ApiHarness.run { api throws in
            let (_, token) = try await Self.link(api)
            let (_, other) = try await Self.link(api, key: "other")
            let page = try await api.api.linkPage(other, payment: nil)
            await #expect(throws: Problem.self, "another link's seal") { try await api.pay(token, form: page) }
            await #expect(throws: Problem.self, "a method that nobody serves") {
                try await api.pay(token, method: "sberpay")
            }
            #expect(try await Self.state(api, token) == "open card", "nothing was begun")
        }
    }

    @Test func `a link stops when it is begun too often in a row, and goes on after a pause`() async throws {
        try await ApiHarness.run { api throws in
            let (_, token) = try await Self.link(api)
            let page = try await api.api.linkPage(token, payment: nil)
            for _ in 0..<PaymentLinkRates.links.burst { _ = try await api.pay(token, form: page) }
            do throws(Problem) {
                _ = try await api.api.pay(
                    by: token,
                    PaymentLinkChoice(
                        method: "card",
                        email: "a@b.example",
                        form: page.form.compact,
                        seal: page.seal,
                        language: "en"
                    )
                )
                Issue.record("one more was begun")
            } catch { #expect(error.status == 429 && error.headers["Retry-After"] != nil) }
            api.clock.advance(by: .seconds(1))
            _ = try await api.pay(token, form: page)
        }
    }
}
