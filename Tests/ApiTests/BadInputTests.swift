import Api
import EventSourcing
import Http
import Kernel
import Payments
import TestKit
import Testing

/// One body that is refused, with the words that it is refused with.
struct BadBody: Sendable, CustomTestStringConvertible {
    let name: String
    let body: [UInt8]
    let status: Int
    let code: ProblemCode
    let path: String?

    var testDescription: String { name }

    init(_ name: String, text: String, _ status: Int, _ code: ProblemCode, _ path: String? = nil) {
        self.name = name
        body = Array(text.utf8)
        self.status = status
        self.code = code
        self.path = path
    }

    /// A good sale with one member changed.
    init(_ name: String, _ changed: [(String, Json?)], _ code: ProblemCode, _ path: String) {
        var object = JsonObject([
            ("mode", "sale"), ("amount", ["value": 1999, "currency": "EUR"]),
            ("details", ["payer": ["email": "ann@example.org"]]),
        ])
        for (name, value) in changed { object[name] = value }
        self.init(name, text: Json.object(object).canonicalText, 422, code, path)
    }
}

private func amount(_ text: String, _ currency: String = "\"EUR\"") -> String {
    "{\"mode\":\"sale\",\"amount\":{\"value\":\(text),\"currency\":\(currency)},\"details\":{}}"
}

private let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)

/// Every kind of bad body, refused with a stable code, nothing stored and nothing moved.
@Suite struct BadInputTests {
    static let bodies: [BadBody] = malformed + amounts + members

    private static let malformed: [BadBody] = [
        BadBody("no JSON", text: "mode=sale", 400, .jsonMalformed),
        BadBody("cut off", text: "{\"mode\":\"sale\"", 400, .jsonMalformed),
        BadBody("two values", text: "{} {}", 400, .jsonMalformed),
        BadBody("a repeated name", text: "{\"mode\":\"sale\",\"mode\":\"verify\"}", 400, .jsonMalformed),
        BadBody("a lone surrogate", text: "{\"reference\":\"\\ud800\"}", 400, .jsonMalformed),
        BadBody("a bare control character", text: "{\"reference\":\"a\tb\"}", 400, .jsonMalformed),
        BadBody("NaN", text: amount("NaN"), 400, .jsonMalformed),
        BadBody("too deep", text: "{\"details\":\(deep)}", 422, .tooDeep),
        BadBody("no body", text: "", 400, .bodyMissing),
        BadBody("a list", text: "[]", 422, .typeWrong, ""),
        BadBody("a number", text: "7", 422, .typeWrong, ""),
    ]

    private static let amounts: [BadBody] = [
        BadBody("zero", text: amount("0"), 422, .amountNotPositive, "amount.value"),
        BadBody("negative", text: amount("-1"), 422, .amountNotPositive, "amount.value"),
        BadBody("negative zero", text: amount("-0"), 422, .amountNotPositive, "amount.value"),
        BadBody("a fraction", text: amount("19.99"), 422, .amountScale, "amount.value"),
        BadBody("a whole number with a fraction", text: amount("19.0"), 422, .amountScale, "amount.value"),
        BadBody("an exponent", text: amount("2e3"), 422, .amountScale, "amount.value"),
        BadBody("an overflow", text: amount("9223372036854775808"), 422, .amountOverflow, "amount.value"),
        BadBody("a text", text: amount("\"1999\""), 422, .typeWrong, "amount.value"),
        BadBody("null", text: amount("null"), 422, .typeWrong, "amount.value"),
        BadBody("an unknown currency", text: amount("5", "\"EUX\""), 422, .currencyUnknown, "amount.currency"),
        BadBody("a small currency", text: amount("5", "\"eur\""), 422, .currencyUnknown, "amount.currency"),
        BadBody("a numeric currency", text: amount("5", "978"), 422, .typeWrong, "amount.currency"),
        BadBody("a currency not taken", text: amount("5", "\"USD\""), 422, .routeMissing),
        BadBody("no currency", [("amount", ["value": 5])], .memberMissing, "amount.currency"),
        BadBody("no value", [("amount", ["currency": "EUR"])], .memberMissing, "amount.value"),
        BadBody(
            "more in it",
            [("amount", ["value": 5, "currency": "EUR", "scale": 2])],
            .memberUnknown,
            "amount.scale"
        ),
        BadBody("no amount", [("amount", nil)], .amountMissing, "amount"),
        BadBody("an amount to tokenize", [("mode", "tokenize")], .amountNotAllowed, "amount"),
        BadBody("an amount to verify", [("mode", "verify")], .amountNotAllowed, "amount.value"),
    ]

    private static let members: [BadBody] = [
        BadBody("an unknown member", [("colour", "red")], .memberUnknown, "colour"),
        BadBody("no mode", [("mode", nil)], .memberMissing, "mode"),
        BadBody("an unknown mode", [("mode", "gift")], .wordUnknown, "mode"),
        BadBody("a mode as number", [("mode", 1)], .typeWrong, "mode"),
        BadBody("an empty text", [("reference", "")], .textEmpty, "reference"),
        BadBody("a long text", [("reference", .string(String(repeating: "é", count: 200)))], .textTooLong, "reference"),
        BadBody(
            "a long description",
            [("description", .string(String(repeating: "я", count: 256)))],
            .textTooLong,
            "description"
        ),
        BadBody("a NUL", [("description", "a\u{0}b")], .controlCharacter, "description"),
        BadBody("a line end", [("customer", "a\u{2028}b")], .controlCharacter, "customer"),
        BadBody("null for a text", [("reference", .null)], .typeWrong, "reference"),
        BadBody("a broken instrument", [("instrument", "ins_7")], .identifierMalformed, "instrument"),
        BadBody("no instrument", [("method", "instrument")], .instrumentMissing, "instrument"),
        BadBody("a broken time", [("expiresAt", "tomorrow")], .timeMalformed, "expiresAt"),
        BadBody("a 30th of February", [("expiresAt", "2027-02-30T00:00:00Z")], .timeMalformed, "expiresAt"),
        BadBody("details as text", [("details", "x")], .typeWrong, "details"),
        BadBody(
            "a sealed value",
            [("details", ["payer": ["email": ["$sealed": "AQ"]]])],
            .memberReserved,
            "details.payer.email.$sealed"
        ),
        BadBody("a control in details", [("details", ["a": ["b\u{7}"]])], .controlCharacter, "details.a.0"),
        BadBody("a label that is no text", [("metadata", ["a": 1])], .typeWrong, "metadata.a"),
        BadBody(
            "a long label",
            [("metadata", ["a": .string(String(repeating: "x", count: 501))])],
            .textTooLong,
            "metadata.a"
        ),
        BadBody("an unknown account", [("account", "nobody")], .accountUnknown, "account"),
        BadBody(
            "a foreign provider",
            [("provider", "sberpay"), ("account", "ecommpay-eur")],
            .routeMissing,
            "provider"
        ),
        BadBody(
            "a currency the account does not take",
            [("account", "ecommpay-eur"), ("amount", ["value": 5, "currency": "USD"])],
            .currencyNotTaken,
            "amount.currency"
        ),
    ]

    @Test func `each bad body has its code and path, and stores nothing`() async throws {
        try await ApiHarness.run { api throws in
            let before = try await api.store.events(after: 0, limit: .max).rows.count
            for bad in Self.bodies {
                let answer = try await api.send(Self.request(bad.body))
                #expect(answer.status == bad.status, "\(bad.name): \(answer)")
                #expect(answer.code == bad.code.rawValue, "\(bad.name): \(answer)")
                if let path = bad.path { #expect(answer.path == path, "\(bad.name): \(answer)") }
            }
            let after = try await api.store.events(after: 0, limit: .max).rows.count
            #expect(after == before)
            // The key was never consumed.
            try await api.post("/v1/payments", ApiHarness.sale(), key: "bad").expect(202)
        }
    }

    @Test func `bytes that are no UTF-8 are refused`() async throws {
        try await ApiHarness.run { api throws in
            let body = Array("{\"reference\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)
            #expect(try await api.send(Self.request(body)).expect(400).code == "json_malformed")
        }
    }

    @Test func `what people read is counted in characters, whatever their script`() async throws {
        try await ApiHarness.run { api throws in
            let text = String(repeating: "я", count: 255)
            var body = ApiHarness.sale().members ?? JsonObject([])
            body["description"] = .string(text)
            let answer = try await api.post("/v1/payments", .object(body), key: "long").expect(202)
            #expect(answer.json["description"]?.text == text)
        }
    }

    @Test func `what only the adapter knows is refused by the decision, with its path`() async throws {
        try await ApiHarness.run { api throws in
            let body: Json = ["mode": "sale", "amount": ["value": 5, "currency": "EUR"], "details": ["colour": "red"]]
            let answer = try await api.post("/v1/payments", body, key: "k").expect(422)
            #expect(answer.path == "details.colour")
        }
    }

    @Test func `parts of payments are refused by the same words`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.held()
            let target = "/v1/payments/\(id)/capture"
            let zero: Json = ["amount": ["value": 0, "currency": "EUR"]]
            #expect(try await api.post(target, zero, key: "k").expect(422).code == "amount_not_positive")
            let dollars: Json = ["amount": ["value": 5, "currency": "USD"]]
            #expect(try await api.post(target, dollars, key: "k1").expect(422).code == "currency_mismatch")
            let more: Json = ["amount": ["value": 2000, "currency": "EUR"]]
            let answer = try await api.post(target, more, key: "k2").expect(422)
            #expect(answer.code == "amount_exceeds_available")
            #expect(answer.path == "amount.value")
            #expect(try await api.payment(id).amounts.held == 1999)
        }
    }

    @Test(
        arguments: [
            ("?status=lost", "query_invalid", "status"), ("?limit=0", "query_invalid", "limit"),
            ("?limit=101", "query_invalid", "limit"), ("?limit=x", "query_invalid", "limit"),
            ("?colour=red", "query_unknown", "colour"), ("?limit=1&limit=2", "query_invalid", "limit"),
            ("?cursor=abc", "cursor_invalid", "cursor"), ("?createdFrom=today", "query_invalid", "createdFrom"),
            ("?needsOperator=yes", "query_invalid", "needsOperator"), ("?reference=%C3%28", "query_malformed", nil),
            ("?reference=%ZZ", "query_malformed", nil),
        ] as [(String, String, String?)]
    )
    func `a bad query has its code`(query: String, code: String, path: String?) async throws {
        try await ApiHarness.run { api throws in
            let answer = try await api.get("/v1/payments\(query)").expect(400)
            #expect(answer.code == code)
            #expect(answer.path == path)
        }
    }

    @Test func `what is no id names nothing`() async throws {
        try await ApiHarness.run { api throws in
            for target in [
                "/v1/payments/7", "/v1/payments/pay_7", "/v1/payments/op_8140c15c3bb95a4193c003f1f45fe70e",
                "/v1/payments/pay_8140c15c3bb95a4193c003f1f45fe70e", "/v1/payments/%00", "/v1/payments/..%2f..",
            ] {
                #expect(try await api.get(target).expect(404).code == "payment_unknown")
            }
            #expect(try await api.get("/v1/instruments/x").expect(404).code == "instrument_unknown")
            #expect(try await api.get("/v1/inbox/x").expect(404).code == "inbox_unknown")
            #expect(try await api.get("/v2/payments").expect(404).code == "route_unknown")
        }
    }

    @Test func `keys of commands are needed and printable`() async throws {
        try await ApiHarness.run { api throws in
            let none = try await api.post("/v1/payments", ApiHarness.sale()).expect(400)
            #expect(none.code == "idempotency_key_missing")
            for key in ["", "a b", "é", String(repeating: "k", count: 256)] {
                let answer = try await api.post("/v1/payments", ApiHarness.sale(), key: key).expect(400)
                #expect(answer.code == "idempotency_key_invalid")
            }
        }
    }

    private static func request(_ body: [UInt8]) -> HttpRequest {
        let headers = HttpHeaders([
            ("Authorization", "Bearer psk_all"), ("Idempotency-Key", "bad"), ("Content-Type", "application/json"),
        ])
        return HttpRequest(method: .post, target: "/v1/payments", headers: headers, body: body)
    }
}
