import Api
import Daemon
import Http
import Kernel
import ProviderKit
import TestKit
import Testing

/// What a provider or we made is no card number, wherever an adapter or a route says that it stands.
@Suite struct GivenIdentifierTests {
    @Test(arguments: Node.adapters.ids)
    func `no declared identifier is refused as a card's number, whatever its digits are`(_ provider: String)
        async throws
    {
        let adapter = try #require(Node.adapters[provider])
        let given = adapter.declaration.given
        try await ApiHarness.run { api throws in
            try await forAll(runs: 6, seed: 47) { random in
                let digits = DrawnIdentifier.number(&random)
                #expect(CardGuard.containsCardNumber(digits))
                for path in given.details {
                    let details = DrawnIdentifier.document(path.steps, digits)
                    let body = ApiHarness.sale().with("details", details).with("provider", .string(provider))
                    try await Self.expectTaken(api, "/v1/payments", body, path)
                    let transfer: Json = ["amount": ["value": 1, "currency": "UAH"], "details": details]
                    try await Self.expectTaken(api, "/v1/transfers", transfer, path)
                    try await Self.expectTaken(api, "/v1/schedules", ["details": details], path)
                }
                for path in given.settings {
                    let body: Json = [
                        "name": "drawn", "provider": .string(provider), "mode": "test",
                        "settings": DrawnIdentifier.document(path.steps, digits),
                    ]
                    try await Self.expectTaken(api, "/v1/accounts", body, path)
                }
                let claims = try #require(adapter.device).claimIdentifiers
                for path in claims.union(adapter.declaration.identifierPaths) {
                    let target = "/v1/payments/pay_00000000000070008000000000000001/confirm"
                    try await Self.expectTaken(api, target, DrawnIdentifier.document(path.steps, digits), path)
                }
            }
        }
    }

    @Test func `what no adapter declares is looked at as ever`() async throws {
        try await ApiHarness.run { api throws in
            let body = ApiHarness.sale().with("details", ["note": "4242424242424242"])
            #expect(try await api.post("/v1/payments", body, key: "note").code == "card_data_refused")
            // An identifier of another provider than the one that takes the payment.
            let foreign = ApiHarness.sale().with("details", ["credential": ["firstPayment": "4242424242424242"]])
            let answer = try await api.post("/v1/payments", foreign, key: "foreign")
            #expect(answer.code == "card_data_refused" && answer.path == "details.credential.firstPayment")
        }
    }

    @Test func `a merchant's own references are taken, and a card's number is none`() async throws {
        try await ApiHarness.run { api throws in
            // Two groups with a dash, an EAN that passes for a card of thirteen digits, twelve digits of a customer's number.
            for (number, reference) in ["order60-1795348007", "4006381333931", "500000000009", "4222222222222"]
                .enumerated()
            {
                let body = ApiHarness.sale().with("customer", .string(reference)).with("reference", .string(reference))
                try await api.post("/v1/payments", body, key: "\(reference)-\(number)").expect(202)
                try await api.get("/v1/payments?reference=\(reference)&customer=\(reference)").expect(200)
            }
            for card in ["4242424242424242", "4242 4242 4242 4242", "c-378282246310005", "4242-4242-4242-4242"] {
                let answer = try await api.post(
                    "/v1/payments",
                    ApiHarness.sale().with("customer", .string(card)),
                    key: "card"
                )
                #expect(answer.code == "card_data_refused", "\(card)")
            }
        }
    }

    /// Each request has a key of its own.
    private static let drawn = Locked(0)

    private static func expectTaken(_ api: ApiHarness, _ target: String, _ body: Json, _ path: JsonPath) async throws {
        let key = "drawn-\(drawn.withLock { $0 += 1; return $0 })"
        let answer = try await api.post(target, body, key: key)
        #expect(answer.code != "card_data_refused", "\(path) at \(target): \(answer)")
    }
}

extension Json {
    fileprivate func with(_ name: String, _ value: Json) -> Json {
        var members = self.members ?? JsonObject([])
        members[name] = value
        return .object(members)
    }
}
