import Http
import Kernel
import TestKit

/// What the played Worldline answers to questions; tests change single answers.
final class PlayedWorldline: Sendable {
    private let answers: Locked<[String: ExchangeOutcome]>

    static let product: Json = [
        "id": 1, "displayHints": ["displayOrder": 0, "label": "Visa", "logo": "https://assets.example/1.png"],
        "fields": [
            ["id": "cardNumber", "dataRestrictions": ["isRequired": true, "validators": ["luhn": [:]]]],
            ["id": "iban", "dataRestrictions": ["isRequired": false, "validators": ["iban": [:]]]],
            [
                "id": "cardholderName",
                "dataRestrictions": ["isRequired": true, "validators": ["length": ["minLength": 2, "maxLength": 5]]],
            ],
        ],
    ]

    static let session: Json = [
        "assetUrl": "https://assets.example/", "clientApiUrl": "https://client.example",
        "clientSessionId": "session-1", "customerId": "customer-at-provider",
    ]

    init(_ wire: PlayedWire) {
        let answers = Locked<[String: ExchangeOutcome]>([
            "testconnection": .answered(.json(200, ["result": "OK"])),
            "sessions": .answered(.json(201, Self.session)),
            "products": .answered(.json(200, ["paymentProducts": [Self.product]])),
            "1": .answered(.json(200, Self.product)),
            "getIINdetails": .answered(
                .json(200, ["paymentProductId": 1, "countryCode": "BE", "isAllowedInContext": true])
            ),
        ])
        self.answers = answers
        wire.play { request in
            let path = request.url.split(separator: "?")[0]
            let last = path.split(separator: "/").last.map(String.init) ?? ""
            return answers.withLock { $0[last] } ?? .answered(.text(404, "Not Found"))
        }
    }

    func answer(_ last: String, _ outcome: ExchangeOutcome) { answers.withLock { $0[last] = outcome } }
}

extension ApiHarness {
    /// Adds a Worldline account and gives its id.
    @discardableResult
    func worldline(_ settings: [(String, Json)] = []) async throws -> Uuid {
        _ = PlayedWorldline(wire)
        var values = JsonObject([("merchantId", "PSPID01"), ("currencies", ["EUR"])])
        for (name, value) in settings { values[name] = value }
        let account: Json = [
            "name": "worldline-eur", "provider": "worldline", "mode": "test", "settings": .object(values),
            "secrets": ["apiKeyId": "KEY", "secretApiKey": "secret", "webhookKeys": "wk:secret"],
        ]
        let made = try await post("/v1/accounts", account, key: "worldline").expect(200)
        guard let id = made.json["id"]?.text.flatMap({ Uuid($0) }) else { throw HarnessFailure(what: "\(made)") }
        return id
    }
}
