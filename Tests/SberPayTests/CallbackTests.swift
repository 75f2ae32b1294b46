import Crypto
import Http
import Kernel
import Payments
import ProviderKit
import SberPay
import TestKit
import Testing

/// Callbacks: whose they are, what is kept of them, and that they decide nothing.
struct CallbackTests {
    private static let core: [(name: String, value: String)] = [
        ("mdOrder", Shop.orderId), ("orderNumber", "pay-7"), ("operation", "deposited"), ("status", "1"),
    ]

    private let hmac = Shop.settings("legacy", [("callbackMode", "hmac")])

    /// The pairs with the checksum of the token over the text that the bank documents.
    private static func signed(_ pairs: [(name: String, value: String)], token: String = Shop.token) -> String {
        let text = pairs.filter { $0.name != "sign_alias" }.sorted {
            Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8))
        }
        .map { "\($0.name);\($0.value);" }.joined()
        let checksum = Hex.encode(Hmac.sha256(key: Secret(token), Array(text.utf8))).uppercased()
        return FormEncoding.encode(pairs + [(name: "checksum", value: checksum)])
    }

    private func get(_ query: String, _ settings: AccountSettings? = nil) -> Authentication {
        Shop.adapter.authenticate(
            HttpRequest(method: .get, target: "/n?\(query)", body: []),
            settings ?? hmac,
            AccountSecrets(["callbackToken": Secret(Shop.token)])
        )
    }

    @Test func `a signed callback is the bank's in a query and in a form alike`() throws {
        let query = Self.signed(Self.core)
        guard case .verified(let first) = get(query) else {
            Issue.record("not verified")
            return
        }
        let form = Shop.adapter.authenticate(
            HttpRequest(method: .post, target: "/n", body: Array(query.utf8)),
            hmac,
            AccountSecrets(["callbackToken": Secret(Shop.token)])
        )
        #expect(form == .verified(first))
        let event = try #require(first.events.first)
        #expect(event.references.prefix(2).map(\.kind) == ["payment", "order"])
        #expect(event.references.prefix(2).map(\.value) == ["pay-7", Shop.orderId])
        #expect(event.content?["operation"]?.text == "deposited")
    }

    @Test func `no callback is taken for another's repetition: a second equal refund is news`() {
        guard case .verified(let notification) = get(Self.signed(Self.core)) else {
            Issue.record("not verified")
            return
        }
        #expect(notification.events.map(\.deliveryId) == [nil])
    }

    private func taken(_ parameters: [(name: String, value: String)]) -> NotifiedEvent? {
        if case .verified(let notification) = get(Self.signed(parameters)) { notification.events.first } else { nil }
    }

    private func question(_ event: NotifiedEvent?) -> [Fact]? {
        event?.content.map { Shop.adapter.interpret(.notification(body: $0.compactBytes), Shop.context()) }
    }

    @Test func `callbacks without a status, about a receipt and about a binding that nobody knows are taken`() throws {
        let order = [(name: "mdOrder", value: Shop.orderId), (name: "orderNumber", value: "pay-7")]
        let timeout = taken(order + [(name: "operation", value: "declinedByTimeout")])
        #expect(try #require(question(timeout)).contains(.question))
        let receipt = taken([
            (name: "orderId", value: Shop.orderId), (name: "orderNumber", value: "pay-7"),
            (name: "daemonCode", value: "d-1"),
        ])
        #expect(try #require(question(receipt)).contains(.question) == false)
        let binding = taken([(name: "bindingId", value: "b-1"), (name: "operation", value: "bindingRenamed")])
        #expect(binding != nil)
        #expect(binding?.credential == nil)
        #expect(taken(order + [(name: "operation", value: "deposited")]) == nil, "a payment's callback has a status")
    }

    @Test func `a binding that was switched off is news for the instrument`() throws {
        func news(_ operation: String, _ enabled: String?) -> CredentialNews? {
            let more = enabled.map { [(name: "enabled", value: $0)] } ?? []
            return taken(
                [
                    (name: "bindingId", value: "b-1"), (name: "clientId", value: "cust-7"),
                    (name: "operation", value: operation),
                ] + more
            )?.credential
        }
        let off = try #require(news("bindingActivityChanged", "false"))
        #expect(off.customer == "cust-7" && off.token == Secret("b-1"))
        #expect(off.report == .invalid(code: "bindingActivityChanged"))
        #expect(news("bindingDeactivated", nil)?.report == .invalid(code: "bindingDeactivated"))
        #expect(news("bindingActivityChanged", "true") == nil)
        #expect(news("bindingCreated", nil) == nil)
    }

    @Test func `a forged callback is rejected for its signature`() {
        let good = Self.signed(Self.core)
        let forged: [(String, String)] = [
            (good.replacingFirst("status=1", "status=0"), "signature_mismatch"),
            (Self.signed(Self.core, token: "another"), "signature_mismatch"),
            (FormEncoding.encode(Self.core), "signature_missing"),
            (FormEncoding.encode(Self.core) + "&checksum=", "signature_missing"),
            (FormEncoding.encode(Self.core) + "&checksum=zz", "signature_mismatch"),
            (good + "&amount=5", "signature_mismatch"), ("%zz", "malformed_callback"),
        ]
        for (query, reason) in forged { #expect(get(query) == .rejected(reason: reason)) }
        #expect(
            Shop.adapter.authenticate(
                HttpRequest(method: .get, target: "/n?\(good)", body: []),
                hmac,
                AccountSecrets([:])
            ) == .rejected(reason: "secret_missing")
        )
    }

    @Test func `a parameter that comes twice is refused even where the checksum fits`() {
        let twice = Self.core + [(name: "status", value: "0")]
        #expect(get(Self.signed(twice)) == .rejected(reason: "malformed_callback"))
    }

    @Test func `a structure that is not the documented one is refused`() {
        for (name, value) in [("status", "2"), ("status", "yes"), ("orderNumber", ""), ("mdOrder", "")] {
            let pairs = Self.core.map { $0.name == name ? (name: name, value: value) : $0 }
            #expect(get(Self.signed(pairs)) == .rejected(reason: "malformed_callback"))
        }
    }

    @Test func `an unsigned callback is a hint`() {
        let body: Json = [
            "mdOrder": .string(Shop.orderId), "orderNumber": "pay-7", "operation": "deposited", "status": 1,
        ]
        let verdict = Shop.adapter.authenticate(
            HttpRequest(method: .post, target: "/n", body: body.compactBytes),
            Shop.settings(),
            AccountSecrets([:])
        )
        guard case .unsigned(let hint) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(hint.events[0].content == nil)
        #expect(hint.events[0].references.first?.value == "pay-7")
    }

    @Test func `whatever a callback says, the order is asked`() {
        let context = Shop.context(order: Shop.opened())
        for operation in ["created", "approved", "deposited", "reversed", "refunded", "declinedByTimeout", "new"] {
            for status in ["0", "1"] {
                let body: Json = [
                    "mdOrder": .string(Shop.orderId), "orderNumber": "pay-7", "operation": .string(operation),
                    "status": .string(status), "amount": "19900",
                ]
                let facts = Shop.adapter.interpret(.notification(body: body.compactBytes), context)
                #expect(facts.contains(.question))
                #expect(facts.operations == [])
                #expect(facts.contains(.unrecognised(what: "operation", value: "new")) == (operation == "new"))
            }
        }
    }

    @Test func `a callback about another order is a contradiction`() {
        for (number, order) in [("pay-8", Shop.orderId), ("pay-7", "other")] {
            let body: Json = [
                "mdOrder": .string(order), "orderNumber": .string(number), "operation": "deposited", "status": "1",
            ]
            let facts = Shop.adapter.interpret(
                .notification(body: body.compactBytes),
                Shop.context(order: Shop.opened())
            )
            #expect(facts.count == 1)
            #expect(facts.contains { if case .contradiction(.identity, _) = $0 { true } else { false } })
        }
    }

    @Test func `only what was stored is answered with 200`() {
        #expect(Shop.adapter.reply(.stored).status == 200)
        #expect(Shop.adapter.reply(.rejected(reason: "x")).status == 400)
        #expect(Shop.adapter.reply(.unavailable).status == 503)
    }
}

extension String {
    fileprivate func replacingFirst(_ old: String, _ new: String) -> String {
        guard let range = firstRange(of: old) else { return self }
        return replacingCharacters(range, new)
    }

    private func replacingCharacters(_ range: Range<String.Index>, _ new: String) -> String {
        String(self[..<range.lowerBound]) + new + String(self[range.upperBound...])
    }
}
