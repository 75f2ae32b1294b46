import Http
import Kernel
import Testing

/// A backend that uses a saved card the moment a payment shows it: a daemon as a process, PostgreSQL, sandbox.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct EarlyCardFlowTests {
    /// Once by the account's name, which the engine alone holds against the card, and once without.
    @Test func `a card is charged, read and billed by a schedule as soon as its payment shows it`() async throws {
        try await Stage.run("earlycard") { stage, daemon in
            let named: [(String, Json)] = [("account", .string(Stage.account))]
            for (number, more) in [named, [], named, [], named].enumerated() {
                let card = try await stage.ecommpayCard(daemon, "charged-\(number)")
                let use: [(String, Json)] = [
                    ("customer", "cust-1"), ("instrument", .string(card)), ("method", "instrument"),
                ]
                let body = Stage.newPayment("charge-\(number)", 7700, more: use + more)
                let answer = try await stage.exchange(daemon, .post, "/v1/payments", body, key: "charge-\(number)")
                #expect(answer.status == 202, "\(String(decoding: answer.body, as: UTF8.self))")
                let charged = try Json(answer.body)["id"]?.text ?? ""
                try await stage.openPage(daemon, charged)
                try await stage.wait(daemon, charged, for: "captured")
                try await stage.call(daemon, .delete, "/v1/instruments/\(card)", key: "remove-\(number)")
            }
            let read = try await stage.ecommpayCard(daemon, "read")
            let shown = try await stage.exchange(daemon, .get, "/v1/instruments/\(read)")
            #expect(shown.status == 200)
            #expect(try Json(shown.body)["status"] == "usable")
            try await stage.call(daemon, .delete, "/v1/instruments/\(read)", key: "remove")
            for member in ["instrument", "fallback"] {
                let card = try await stage.ecommpayCard(daemon, "billed-\(member)")
                let rule: Json = ["period": "month", "start": "2031-01-31", "time": "10:00", "zone": "UTC"]
                let body: Json = .compact([
                    ("account", .string(Stage.account)), ("amount", Stage.euros(7700)), ("customer", "cust-1"),
                    ("details", ["payer": ["email": "payer@example.org"]]), (member, .string(card)),
                    ("kind", "regular"),
                    ("rule", rule),
                ])
                let answer = try await stage.exchange(daemon, .post, "/v1/schedules", body, key: "bill-\(member)")
                #expect(answer.status == 201, "\(String(decoding: answer.body, as: UTF8.self))")
                try await stage.call(daemon, .delete, "/v1/instruments/\(card)", key: "remove-\(member)")
            }
            try await stage.verifyReplay()
        }
    }
}
