import Api
import Daemon
import EventSourcing
import Http
import Kernel
import Testing

/// An account is known from the moment that it was made, at every daemon.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct NewAccountTests {
    @Test func `another daemon takes a payment for an account at once`() async throws {
        try await Stage.run("e2enewaccount") { stage, daemon in
            let other = try await stage.serve()
            for number in 0..<3 {
                // What the other daemon knows of accounts is a moment old.
                try await stage.call(other, .get, "/v1/accounts")
                let name = "new-\(number)"
                let account: Json = [
                    "mode": "test", "name": .string(name), "provider": "ecommpay",
                    "secrets": ["secretKey": .string(Stage.secret)],
                    "settings": [
                        "currencies": ["EUR"], "gateUrl": .string(stage.sandbox),
                        "paymentPageUrl": .string(stage.sandbox + "/payment"), "projectId": .integer(Stage.project),
                    ],
                ]
                try await stage.call(daemon, .post, "/v1/accounts", account, key: name)
                let body = Stage.newPayment(name, 7700, more: [("account", .string(name))])
                let made = try await stage.exchange(other, .post, "/v1/payments", body, key: "pay-\(number)")
                #expect(made.status < 300, "\(String(decoding: made.body, as: UTF8.self))")
            }
        }
    }
}
