import Http
import Kernel
import Sandbox
import Testing

/// One delivery of a provider, many events: each is authenticated with the whole, and routed and deduplicated alone.
@Suite(.timeLimit(.minutes(4)), .serialized)
struct DeliveryFlowTests {
    private func captured(_ id: String, _ number: String, _ reference: String, _ cents: Int64) -> Json {
        [
            "apiVersion": "v1", "created": "2026-11-22T10:00:00.000+0000", "id": .string(id), "merchantId": "PSPID01",
            "payment": [
                "id": .string("\(number)_0"),
                "paymentOutput": [
                    "amountOfMoney": ["amount": .integer(cents), "currencyCode": "EUR"],
                    "references": ["merchantReference": .string(reference)],
                ],
                "status": "CAPTURED",
                "statusOutput": ["statusCategory": "COMPLETED", "statusCode": 9],
            ],
            "type": "payment.captured",
        ]
    }

    private func deliver(_ stage: Stage, _ daemon: DaemonProcess, _ account: String, _ body: Json) async throws -> Int {
        guard let id = Uuid(account) else { throw Stage.Failure(description: account) }
        let bytes = body.compactBytes
        let headers = HttpHeaders([
            ("Content-Type", "application/json"), ("X-GCS-KeyId", "wk-1"),
            ("X-GCS-Signature", WorldlineSignature.sign(bytes, Secret("first"))),
        ])
        return try await stage.send(
            .post,
            "\(daemon.address)/v1/notifications/worldline/1/\(id.compact)",
            headers,
            bytes
        ).status
    }

    @Test func `every payment of a list of events hears its own, and a repetition is known by the event's id`()
        async throws
    {
        try await Stage.run("e2edelivery") { stage, daemon in
            let account = try await stage.addWorldline(daemon)
            var payments: [(id: String, event: Json)] = []
            for (index, name) in ["one", "two", "three"].enumerated() {
                let id = try await stage.worldline(daemon, name, 1000)
                _ = try await stage.worldlinePage(daemon, id)
                let reference = try await stage.providerName(daemon, id)
                payments.append((id, captured("e-\(index)", "325456431\(index)", reference, 1000)))
            }
            let told = "paystream.input WHERE name = 'worldline.notification'"
            let both = Json.array([payments[0].event, payments[1].event])
            #expect(try await deliver(stage, daemon, account, both) == 200)
            for payment in payments.prefix(2) { try await stage.wait(daemon, payment.id, for: "captured") }
            #expect(try await stage.count(told) == 2)
            // The second event comes again, beside a new one.
            let mixed = Json.array([payments[1].event, payments[2].event])
            #expect(try await deliver(stage, daemon, account, mixed) == 200)
            try await stage.wait(daemon, payments[2].id, for: "captured")
            #expect(try await stage.count(told) == 3)
            #expect(try await stage.text("SELECT count(DISTINCT stream)::text FROM \(told)") == "3")
            try await stage.verifyReplay()
        }
    }

    @Test func `a second equal refund in the cabinet is news, and a binding that is switched off ends its instrument`()
        async throws
    {
        try await Stage.run("e2eequal") { stage, daemon in
            try await stage.addSberPay(daemon, "legacy")
            let sale = try await stage.sberPay(daemon, "equal", 2500, at: "legacy")
            try await stage.press(daemon, sale, ["save"])
            let instrument = try await stage.savedInstrument(daemon, sale)
            let name = try await stage.providerName(daemon, sale)
            for refunded in [500, 1000] as [Int64] {
                try await stage.control("/sberpay/sandbox/orders/\(name)/refund", ["amount": 500])
                try await stage.until("\(refunded) are refunded") {
                    let payment = try await stage.payment(daemon, sale)
                    return payment.at("amounts", "refunded")?.integer == refunded
                        ? .done(()) : .notYet(payment.canonicalText)
                }
            }
            try await stage.dropSberPayBindings()
            try await stage.until("the instrument ended") {
                let seen = try await stage.call(daemon, .get, "/v1/instruments/\(instrument)")
                return seen["status"] == "invalid" ? .done(()) : .notYet(seen.canonicalText)
            }
            try await stage.verifyReplay()
        }
    }
}
