import Api
import EventSourcing
import Http
import Kernel
import Payments
import TestKit
import Testing

/// Questions to a provider about an account: sessions, products, card prefixes, rules of fields, the connection.
@Suite struct InquiryTests {
    private static let query = "?currency=EUR&amount=1999&country=BE"
    private static let setting: [(String, Json)] = [
        ("amount", ["value": 1999, "currency": "EUR"]), ("country", "BE"),
    ]

    private static func body(_ more: (String, Json)...) -> Json { .object(JsonObject(setting + more)) }

    private static func lost() -> ExchangeOutcome { .sentNoAnswer(NoAnswer(.deadline)) }

    @Test func `a connection test tells works, refused and unreachable apart`() async throws {
        try await ApiHarness.run { api throws in
            let path = "/v1/accounts/\(try await api.worldline())/test-connection"
            #expect(try await api.post(path).expect(200).json["result"] == "works")
            let played = PlayedWorldline(api.wire)
            played.answer("testconnection", .answered(.json(403, ["errors": [["errorCode": "9002"]]])))
            let refused = try await api.post(path).expect(200)
            #expect(refused.json["result"] == "refused")
            #expect(refused.json["code"] == "9002")
            played.answer("testconnection", Self.lost())
            #expect(try await api.post(path).expect(200).json["result"] == "unreachable")
            let other = try await api.reader.accounts(merchant: api.merchant).first { $0.facts?.provider == "ecommpay" }
            let id = try #require(other?.id)
            #expect(try await api.post("/v1/accounts/\(id)/test-connection").expect(422).code == "not_offered")
        }
    }

    @Test func `a session is given to one payer, with a presentation of known words, and recorded`() async throws {
        try await ApiHarness.run { api throws in
            let path = "/v1/accounts/\(try await api.worldline())/sessions"
            let answer = try await api.post(path, ["customer": "c", "presentation": ["productGrouping": true]])
            #expect(try answer.expect(200).json["session"] == PlayedWorldline.session)
            #expect(answer.json["expiresAt"] == .string(api.clock.now.adding(.seconds(10_800)).description))
            #expect(answer.header("Cache-Control") == "no-store")
            #expect(answer.header("Paystream-Mode") == "test")
            #expect(api.tables.accesses.withLock { $0.filter { $0.hasPrefix("client_session") }.count } == 1)
            let colours = try await api.post(path, ["customer": "c", "presentation": ["colour": "red"]]).expect(422)
            #expect(colours.code == "details_invalid")
            let foreign: Json = ["customer": "c", "instruments": ["ins_8140c15c3bb95a4193c003f1f45fe70e"]]
            let refused = try await api.post(path, foreign).expect(422)
            #expect(refused.path == "instruments.0")
            api.switches.recordFault = true
            try await api.post(path, ["customer": "c"]).expect(503)
        }
    }

    @Test func `lists of products are asked once while fresh, stand in when marked, and end`() async throws {
        try await ApiHarness.run { api throws in
            let account = try await api.worldline([("productsFreshSeconds", 60), ("productsKeptSeconds", 600)])
            let path = "/v1/accounts/\(account)/products"
            let played = PlayedWorldline(api.wire)
            let first = try await api.get(path + Self.query).expect(200)
            #expect(first.json["items"]?.items?.first?["displayHints"] == PlayedWorldline.product["displayHints"])
            #expect(first.json["stale"] == false)
            let asked = api.wire.sent.count
            try await api.get(path + Self.query).expect(200)
            #expect(api.wire.sent.count == asked)
            for other in ["&recurring=true", "&language=nl", "&operation=SALE"] {
                try await api.get(path + Self.query + other).expect(200)
            }
            try await api.get(path + "?currency=EUR&amount=2000&country=BE").expect(200)
            try await api.get(path + "?currency=EUR&amount=1999&country=NL").expect(200)
            #expect(api.wire.sent.count == asked + 5)
            api.clock.advance(by: .seconds(61))
            played.answer("products", Self.lost())
            let stale = try await api.get(path + Self.query).expect(200)
            #expect(stale.json["stale"] == true)
            #expect(stale.json["fetchedAt"] == first.json["fetchedAt"])
            api.clock.advance(by: .seconds(540))
            #expect(try await api.get(path + Self.query).expect(503).code == "provider_unreachable")
        }
    }

    @Test func `a list with saved cards is never another payer's`() async throws {
        try await ApiHarness.run { api throws in
            let path = "/v1/accounts/\(try await api.worldline())/products" + Self.query
            let played = PlayedWorldline(api.wire)
            let saved = { (token: String) -> ExchangeOutcome in
                let account: Json = ["id": .string(token), "paymentProductId": 1]
                return .answered(.json(200, ["paymentProducts": [["id": 1, "accountsOnFile": [account]]]]))
            }
            played.answer("products", saved("ann's"))
            // Whatever the provider lists, this payer saved nothing here.
            #expect(try await !api.get(path + "&customer=ann").expect(200).text.contains("ann's"))
            played.answer("products", saved("bob's"))
            #expect(try await !api.get(path + "&customer=bob").expect(200).text.contains("bob's"))
            played.answer("products", Self.lost())
            try await api.get(path + "&customer=cid").expect(503)
            try await api.get(path).expect(503)
        }
    }

    @Test func `six to eight digits are asked about, more are refused, and none is kept or shown`() async throws {
        try await ApiHarness.run { api throws in
            let path = "/v1/accounts/\(try await api.worldline())/card-prefixes"
            let played = PlayedWorldline(api.wire)
            let few = try await api.post(path, Self.body(("digits", "45673"))).expect(200)
            #expect(few.json["status"] == "notEnoughDigits")
            #expect(api.wire.sent.isEmpty)
            let known = try await api.post(path, Self.body(("digits", "45673500"))).expect(200)
            #expect(known.json["status"] == "supported")
            let sent = try #require(api.wire.sent.last)
            #expect(try Json(sent.body)["bin"] == "45673500")
            #expect(try Json(sent.body).at("paymentContext", "countryCode") == "BE")
            let brands: Json = [
                "paymentProductId": 130, "isAllowedInContext": true,
                "coBrands": [
                    ["paymentProductId": 130, "isAllowedInContext": true],
                    ["paymentProductId": 1, "isAllowedInContext": true],
                ],
            ]
            played.answer("getIINdetails", .answered(.json(200, brands)))
            let choice = try await api.post(path, Self.body(("digits", "497010"))).expect(200)
            #expect(choice.json["mustChooseBrand"] == true)
            #expect(choice.json["brands"]?.items?.count == 2)
            played.answer("getIINdetails", .answered(.json(200, ["paymentProductId": 1, "isAllowedInContext": false])))
            let barred = try await api.post(path, Self.body(("digits", "456735"))).expect(200)
            #expect(barred.json["status"] == "existingButNotAllowed")
            played.answer("getIINdetails", .answered(.text(404, "Not Found")))
            #expect(try await api.post(path, Self.body(("digits", "999999"))).expect(200).json["status"] == "unknown")
            let asked = api.wire.sent.count
            let many = try await api.post(path, Self.body(("digits", "456735001"))).expect(422)
            #expect(many.code == "too_many_digits")
            #expect(!many.text.contains("4567"))
            let number = try await api.post(path, Self.body(("digits", "4111111111111111"))).expect(422)
            #expect(number.code == "card_data_refused")
            #expect(!number.text.contains("4111"))
            #expect(api.wire.sent.count == asked)
            let events = try await api.store.events(after: 0, limit: .max).rows
            #expect(!events.contains { String(decoding: $0.data, as: UTF8.self).contains("45673") })
        }
    }

    @Test func `a product's rules name field, rule, parameters and label, and card fields are refused unread`()
        async throws
    {
        try await ApiHarness.run { api throws in
            let path = "/v1/accounts/\(try await api.worldline())/products/1/checks"
            let wrong = try await api.post(path, Self.body(("values", ["cardholderName": "A", "iban": "BE00"]))).expect(
                200
            )
            #expect(wrong.json["valid"] == false)
            #expect(wrong.json["errors"]?.items?.map { $0["rule"] } == ["iban", "length"])
            #expect(wrong.json["errors"]?.items?.last?["parameters"] == ["minLength": 2, "maxLength": 5])
            #expect(wrong.json.at("described", "cardNumber") == ["luhn"])
            let card = try await api.post(path, Self.body(("values", ["cardNumber": "42", "cardholderName": "Ann"])))
            #expect(card.json["errors"]?.items?.map { $0["rule"] } == ["notAccepted"])
            let code = try await api.post(path, Self.body(("values", ["cvv": "123"]))).expect(422)
            #expect(code.code == "card_data_refused")
            let right = try await api.post(
                path,
                Self.body(("values", ["cardholderName": "Ann", "iban": Self.likeACard]))
            )
            #expect(try right.expect(200).json["valid"] == true)
            let number: Json = ["cardholderName": "4111111111111111"]
            #expect(try await api.post(path, Self.body(("values", number))).expect(422).code == "card_data_refused")
        }
    }

    /// A bank account's number that the card guard alone would take for a card's.
    private static var likeACard: Json {
        for account in 0..<10_000_000 {
            let tail = String(10_000_000_000 + account * 997)
            let digits = "4" + tail.dropFirst(0)
            for check in 2...98 {
                let text = "BE\(check < 10 ? "0" : "")\(check)\(digits)"
                if Iban.isSound(text), CardGuard.containsCardNumber(text) { return .string(text) }
            }
        }
        return .null
    }

    @Test func `an account's provider is not asked more than the rate`() async throws {
        try await ApiHarness.run { api throws in
            let path = "/v1/accounts/\(try await api.worldline())/products" + Self.query
            var last = 200
            for _ in 0...Api.inquiryRate.burst { last = try await api.get(path).status }
            #expect(last == 429)
            api.clock.advance(by: .seconds(1))
            try await api.get(path).expect(200)
        }
    }
}
