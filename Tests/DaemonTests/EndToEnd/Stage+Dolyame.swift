import Http
import Kernel

/// The simulated Dolyame and its payers.
extension Stage {
    /// Two kinds of goods for 7000 roubles.
    static let dolyameDetails: Json = [
        "items": [
            ["name": "Sneakers", "price": "4600.00", "sku": "SN-1"],
            ["name": "Ball", "quantity": 4, "price": "600.00", "sku": "BL-4"],
        ],
        "payer": ["phone": "8 913 001 01 01", "birthdate": "28.05.1991"],
    ]

    /// The sneakers alone.
    static let dolyamePart: Json = [
        "amount": ["currency": "RUB", "value": 460_000],
        "details": ["items": [["name": "Sneakers", "price": "4600.00", "sku": "SN-1"]]],
    ]

    func addDolyame(_ daemon: DaemonProcess, at address: String? = nil) async throws {
        let account: Json = [
            "mode": "test", "name": "dolyame", "provider": "dolyame",
            "secrets": ["password": "secret", "clientCertificate": "unused", "clientKey": "unused"],
            "settings": [
                "login": "shop", "baseUrl": .string((address ?? sandbox) + "/dolyame"), "partnerId": "partner-1",
                "webhookNetworks": ["127.0.0.0/8"], "pollFirstSeconds": 1, "pollCapSeconds": 2, "pollAtLeastSeconds": 1,
                "absenceSeconds": 1, "refundQuietSeconds": 1, "deliveryCompletion": true,
            ],
        ]
        try await call(daemon, .post, "/v1/accounts", account, key: "dolyame")
    }

    /// Opens an order and waits for the address of its form.
    func dolyame(_ daemon: DaemonProcess, _ name: String) async throws -> (id: String, url: String) {
        let body: Json = [
            "mode": "authorize", "account": "dolyame", "reference": .string(name),
            "amount": ["currency": "RUB", "value": 700_000], "details": Self.dolyameDetails,
        ]
        let payment = try await call(daemon, .post, "/v1/payments", body, key: "\(name)-create")
        guard let id = payment["id"]?.text else { throw Failure(description: "no id in \(payment.canonicalText)") }
        let url = try await until("\(id) has a form") { () -> Look<String> in
            let response = try await self.exchange(daemon, .get, "/v1/payments/\(id)/next-action")
            guard response.status == 200, let url = (try? Json(response.body))?["url"]?.text else {
                return .notYet(String(decoding: response.body, as: UTF8.self))
            }
            return .done(url)
        }
        return (id, url)
    }

    /// Chooses in the form of an order.
    func choose(_ choice: String, at url: String) async throws {
        let headers = HttpHeaders([("Content-Type", "application/x-www-form-urlencoded")])
        let answer = try await send(.post, url, headers, Array("choice=\(choice)".utf8))
        guard answer.status == 303 else { throw Failure(description: "the form answers \(answer.status)") }
    }

    func dolyameLedger(_ daemon: DaemonProcess, _ id: String) async throws -> [String] {
        let name = try await providerName(daemon, id)
        let json = try await control("/dolyame/control/ledger?payment_id=\(name)")
        return (json["entries"]?.items ?? []).map { "\($0["kind"]?.text ?? "?") \($0["amount"]?.integer ?? 0)" }
    }
}
