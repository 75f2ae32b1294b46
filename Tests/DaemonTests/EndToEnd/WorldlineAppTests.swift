import Http
import Kernel
import Sandbox
import Testing

/// An app's side of the simulated Worldline Direct: sessions, encrypted input, 3-D Secure, products, card prefixes, checks.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct WorldlineAppTests {
    @Test func `an app encrypts under a session, the payer confirms, and nothing of it is stored`() async throws {
        try await Stage.run("e2eworldlineapp") { stage, daemon in
            let account = try await stage.addWorldline(daemon)
            let input = try await stage.appInput(daemon, account, card: "challenge")
            let sale = try await stage.appPayment(daemon, "confirmed", 1200, input)
            let url = try await stage.worldlinePage(daemon, sale)
            let action = try await stage.call(daemon, .get, "/v1/payments/\(sale)/next-action")
            #expect(action["type"] == "redirect")
            try await stage.press(url, "pass")
            try await stage.wait(daemon, sale, for: "captured")
            #expect(try await stage.worldlineLedger(daemon, sale) == ["charge 1200"])
            let blob = try #require(input["encryptedCustomerInput"]?.text)
            #expect(try await stage.tablesHolding(String(blob.suffix(40))).isEmpty)

            let failed = try await stage.appPayment(
                daemon,
                "failed",
                1300,
                try await stage.appInput(daemon, account, card: "challenge")
            )
            try await stage.press(try await stage.worldlinePage(daemon, failed), "fail")
            try await stage.wait(daemon, failed, for: "failed")

            let declined = try await stage.appPayment(
                daemon,
                "declined",
                1400,
                try await stage.appInput(daemon, account, card: "declined")
            )
            try await stage.wait(daemon, declined, for: "failed")

            let chosen = try await stage.appInput(daemon, account, card: "frictionless")
            let brand: [(String, Json)] = [("cobrand", "alternative"), ("paymentProductId", 130)]
            let hold = try await stage.appPayment(daemon, "brand", 1500, chosen, mode: "authorize", more: brand)
            let held = try await stage.wait(daemon, hold, for: "authorized")
            #expect(held.at("attempt", "providerMethod") == "130")
            try await stage.verifyReplay()
        }
    }

    @Test func `a lost answer to an app's payment is repeated from memory, and money moves once`() async throws {
        try await Stage.run("e2eworldlineapplost") { stage, daemon in
            let account = try await stage.addWorldline(daemon)
            let input = try await stage.appInput(daemon, account, card: "frictionless")
            let fault: Json = ["busy": 1500, "fault": "errorAfter", "on": "payment"]
            try await stage.control("/worldline/sandbox/faults", fault)
            let sale = try await stage.appPayment(daemon, "lost", 1600, input)
            try await stage.wait(daemon, sale, for: "captured")
            #expect(try await stage.worldlineLedger(daemon, sale) == ["charge 1600"])
            try await stage.verifyReplay()
        }
    }

    @Test
    func `where a webhook shows the order first, the payment is repeated for the address that a lost answer held`()
        async throws
    {
        try await Stage.run("e2eworldlineaddress") { stage, daemon in
            let provider = try stage.toldProvider()
            let broken = HttpResponse.html(502, "<html>Bad gateway</html>")
            provider.tell(.changed { _ in broken }, times: .max) { $0.path.hasSuffix("/payments") }
            let account = try await stage.addWorldline(daemon, at: provider.address)
            let input = try await stage.appInput(daemon, account, card: "challenge")
            let sale = try await stage.appPayment(daemon, "stranded", 1600, input)
            try await stage.until("the webhook has shown the order") { () -> Stage.Look<Void> in
                let shown = try await stage.payment(daemon, sale)
                let isSeen =
                    shown["status"] == "requiresAction"
                    && shown["obligations"]?.items?.first?["reason"] == "address_lost"
                return isSeen ? .done(()) : .notYet(shown.canonicalText)
            }
            try await stage.agree(daemon, sale)
            provider.forget()
            try await stage.press(try await stage.worldlinePage(daemon, sale), "pass")
            try await stage.wait(daemon, sale, for: "captured")
            #expect(try await stage.worldlineLedger(daemon, sale) == ["charge 1600"])
            let creations = provider.messages(naming: try await stage.providerName(daemon, sale)).filter {
                $0.path.hasSuffix("/payments")
            }
            #expect(creations.count > 1 && Set(creations.map(\.key)).count == 1, "\(creations.map(\.key))")
            try await stage.verifyReplay()
        }
    }

    @Test func `a card that the provider forgot can't be used any more`() async throws {
        try await Stage.run("e2eworldlineforgot") { stage, daemon in
            let account = try await stage.addWorldline(daemon)
            let instrument = try await stage.savedWorldlineCard(daemon, "save")
            let path = "/v1/accounts/\(account)/sessions"
            let question: Json = ["customer": "cust-1", "instruments": [.string(instrument)]]
            let before = try await stage.call(daemon, .post, path, question)
            #expect(before["removedInstruments"] == [])
            let payments = try await stage.control("/worldline/sandbox/payments")["payments"]?.items ?? []
            let output = payments.last?.at("paymentOutput", "cardPaymentMethodSpecificOutput")
            let token = try #require(output?["token"]?.text)
            try await stage.control("/worldline/sandbox/tokens/\(token)/forget", [:])
            let after = try await stage.call(daemon, .post, path, question)
            #expect(after["removedInstruments"] == [.string(instrument)])
            let shown = try await stage.call(daemon, .get, "/v1/instruments/\(instrument)")
            #expect(shown["usable"] == false)
            let body: Json = [
                "account": "worldline-eur", "amount": Stage.euros(100), "customer": "cust-1",
                "instrument": .string(instrument), "method": "instrument", "mode": "sale",
            ]
            let refused = try await stage.exchange(daemon, .post, "/v1/payments", body, key: "refused")
            #expect(refused.status == 422)
            #expect(try Json(refused.body)["code"] == "instrument_invalid")
            let strangers = try await stage.exchange(
                daemon,
                .post,
                path,
                ["customer": "cust-2", "instruments": [.string(instrument)]]
            )
            #expect(strangers.status == 422)
            #expect(try await stage.tablesHolding(token).isEmpty)
            try await stage.verifyReplay()
        }
    }

    @Test func `products, rules, card prefixes and the connection are asked of the provider`() async throws {
        try await Stage.run("e2eworldlineasks") { stage, daemon in
            let account = try await stage.addWorldline(daemon)
            let path = "/v1/accounts/\(account)"
            let query = "?currency=EUR&amount=1999&country=FR&language=fr"
            let list = try await stage.call(daemon, .get, "\(path)/products\(query)")
            #expect(list["items"]?.items?.compactMap { $0["id"]?.integer } == [1, 3, 130, 302])
            let visa = try await stage.call(daemon, .get, "\(path)/products/1\(query)")
            let fields = visa.at("product", "fields")?.items ?? []
            #expect(fields.compactMap { $0["id"]?.text } == ["cardNumber", "expiryDate", "cvv", "cardholderName"])
            #expect(fields.first?.at("displayHints", "label") == "Numéro")
            try await stage.control("/worldline/sandbox/faults", ["fault": "errorBefore", "on": "products"])
            let other = "?currency=EUR&amount=1&country=FR"
            #expect(try await stage.exchange(daemon, .get, "\(path)/products\(other)").status == 503)

            let setting: [(String, Json)] = [("amount", Stage.euros(1999)), ("country", "FR")]
            let values: Json = ["cardholderName": "Ann 1"]
            let checks = Json.object(JsonObject(setting + [("values", values)]))
            let check = try await stage.call(daemon, .post, "\(path)/products/1/checks", checks)
            #expect(check["errors"]?.items?.map { $0["rule"] } == ["regularExpression"])

            let prefix = Json.object(JsonObject(setting + [("digits", "49701000")]))
            let card = try await stage.call(daemon, .post, "\(path)/card-prefixes", prefix)
            #expect(card["status"] == "supported")
            #expect(card["mustChooseBrand"] == true)
            #expect(try await stage.tablesHolding("49701000").isEmpty)

            let test = try await stage.call(daemon, .post, "\(path)/test-connection", [:])
            #expect(test["result"] == "works")
            let metrics = try await stage.send(.get, daemon.address + "/metrics", HttpHeaders(), [])
            let text = String(decoding: metrics.body, as: UTF8.self)
            #expect(text.contains("paystream_product_lists_total{source=\"asked\"}"))
        }
    }

    @Test func `an address is checked by the provider and answers with the same words`() async throws {
        try await Stage.run("e2eworldlineecho") { stage, daemon in
            let account = try await stage.addWorldline(daemon)
            guard let id = Uuid(account) else { throw Stage.Failure(description: account) }
            let url = "\(daemon.address)/v1/notifications/worldline/1/\(id.compact)"
            try await stage.control("/worldline/sandbox/merchants/PSPID01/verify", ["url": .string(url)])
            try await stage.until("the address is checked") {
                let events = try await stage.control("/worldline/sandbox/events")["events"]?.items ?? []
                return events.first?["delivered"] == true ? .done(()) : .notYet("\(events)")
            }
            #expect(try await stage.count("paystream.quarantine") == 0)
        }
    }
}

extension Stage {
    /// What an app makes of a card under a session that the daemon opened.
    func appInput(_ daemon: DaemonProcess, _ account: String, card: String) async throws -> Json {
        let opened = try await call(daemon, .post, "/v1/accounts/\(account)/sessions", ["customer": "cust-1"])
        let body: Json = ["card": .string(card), "session": opened["session"] ?? .null]
        return try await control("/worldline/app", body)
    }

    func appPayment(
        _ daemon: DaemonProcess,
        _ name: String,
        _ cents: Int64,
        _ input: Json,
        mode: String = "sale",
        more: [(String, Json)] = []
    ) async throws -> String {
        var details = input.members ?? JsonObject([])
        for (name, value) in more { details[name] = value }
        let body: Json = [
            "account": "worldline-eur", "amount": Self.euros(cents), "customer": "cust-1",
            "details": .object(details), "method": "sdk", "mode": .string(mode), "reference": .string(name),
        ]
        let payment = try await call(daemon, .post, "/v1/payments", body, key: "\(name)-create")
        guard let id = payment["id"]?.text else { throw Failure(description: "no id in \(payment.canonicalText)") }
        return id
    }
}
