import Daemon
import Http
import Kernel
import Sandbox
import Testing

/// A payment in instalments through a real daemon: opened by us, approved in the form, committed and refunded in part.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct DolyameOrderTests {
    private func equip(_ stage: Stage, _ daemon: DaemonProcess) async throws {
        let account: Json = [
            "mode": "test", "name": "dolyame", "provider": "dolyame",
            "secrets": ["password": "secret", "clientCertificate": "unused", "clientKey": "unused"],
            "settings": [
                "login": "shop", "baseUrl": .string(stage.sandbox + "/dolyame"), "partnerId": "partner-1",
                "webhookNetworks": ["127.0.0.0/8"], "pollFirstSeconds": 1, "pollCapSeconds": 2, "pollAtLeastSeconds": 1,
                "absenceSeconds": 1, "refundQuietSeconds": 1, "deliveryCompletion": true,
            ],
        ]
        try await stage.call(daemon, .post, "/v1/accounts", account, key: "dolyame")
    }

    private func open(_ stage: Stage, _ daemon: DaemonProcess, _ name: String) async throws -> (id: String, url: String)
    {
        let body: Json = [
            "mode": "authorize", "account": "dolyame", "reference": .string(name),
            "amount": ["currency": "RUB", "value": 700_000],
            "details": [
                "items": [
                    ["name": "Sneakers", "price": "4600.00", "sku": "SN-1"],
                    ["name": "Ball", "quantity": 4, "price": "600.00", "sku": "BL-4"],
                ],
                "payer": ["phone": "8 913 001 01 01", "birthdate": "28.05.1991"],
            ],
        ]
        let payment = try await stage.call(daemon, .post, "/v1/payments", body, key: "\(name)-create")
        guard let id = payment["id"]?.text else {
            throw Stage.Failure(description: "no id in \(payment.canonicalText)")
        }
        let url = try await stage.until("\(id) has a form") { () -> Stage.Look<String> in
            let response = try await stage.exchange(daemon, .get, "/v1/payments/\(id)/next-action")
            let text = String(decoding: response.body, as: UTF8.self)
            guard response.status == 200, let url = (try? Json(response.body))?["url"]?.text else {
                return .notYet(text)
            }
            return .done(url)
        }
        return (id, url)
    }

    private func choose(_ stage: Stage, _ choice: String, at url: String) async throws {
        let headers = HttpHeaders([("Content-Type", "application/x-www-form-urlencoded")])
        let answer = try await stage.send(.post, url, headers, Array("choice=\(choice)".utf8))
        guard answer.status == 303 else { throw Stage.Failure(description: "the form answers \(answer.status)") }
    }

    @Test func `an order is approved, committed in part and refunded in part`() async throws {
        try await Stage.run("e2edolyame") { stage, daemon in
            try await equip(stage, daemon)
            let (id, url) = try await open(stage, daemon, "instalments")
            try await choose(stage, "approve", at: url)
            try await stage.wait(daemon, id, for: "authorized")
            let shoes: Json = ["items": [["name": "Sneakers", "price": "4600.00", "sku": "SN-1"]]]
            let part: Json = ["amount": ["currency": "RUB", "value": 460_000], "details": shoes]
            try await stage.control(
                "/dolyame/control/faults",
                ["method": "commit", "fault": "error_after"]
            )
            try await stage.call(daemon, .post, "/v1/payments/\(id)/capture", part, key: "capture")
            try await stage.wait(daemon, id, for: "captured")
            try await stage.call(daemon, .post, "/v1/payments/\(id)/complete-delivery", [:], key: "delivered")
            try await stage.until("the delivery is complete") { () -> Stage.Look<Void> in
                let payment = try await stage.payment(daemon, id)
                let states = payment["errands"]?.items?.map { $0["state"] } ?? []
                return states == ["done"] ? .done(()) : .notYet(payment.canonicalText)
            }
            let refused = try await stage.exchange(
                daemon,
                .post,
                "/v1/payments/\(id)/refund",
                [
                    "amount": ["currency": "RUB", "value": 60000],
                    "details": ["items": [["name": "Ball", "price": "600"]]],
                ],
                key: "refund-ball",
                headers: [("Prefer", "wait=10")]
            )
            #expect(refused.status == 422)
            try await stage.call(daemon, .post, "/v1/payments/\(id)/refund", [:], key: "refund")
            try await stage.wait(daemon, id, for: "refunded")
            // Each notification came from a network of the account's and was kept.
            #expect(try await stage.count("paystream.quarantine") == 0)
            #expect(try await stage.count("paystream.input WHERE name = 'dolyame.notification'") > 0)
            try await stage.verifyReplay()
        }
    }

    @Test func `a refused and an abandoned order end as such`() async throws {
        try await Stage.run("e2edolyameends") { stage, daemon in
            try await equip(stage, daemon)
            let declined = try await open(stage, daemon, "declined")
            try await choose(stage, "decline", at: declined.url)
            try await stage.wait(daemon, declined.id, for: "failed")
            let abandoned = try await open(stage, daemon, "abandoned")
            try await choose(stage, "abandon", at: abandoned.url)
            try await stage.wait(daemon, abandoned.id, for: "expired")
            try await stage.verifyReplay()
        }
    }
}
