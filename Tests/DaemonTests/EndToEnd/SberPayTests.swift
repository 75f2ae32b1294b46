import Http
import Kernel
import Sandbox
import Testing

/// Payments through the simulated Sber: whole lives at both gateways, by page, binding and app.
@Suite(.timeLimit(.minutes(4)), .serialized)
struct SberPayTests {
    @Test(arguments: ["ecom", "legacy"])
    func `payments go from the page to their outcome and the books agree with the bank's`(dialect: String) async throws
    {
        try await Stage.run("e2esber\(dialect)") { stage, daemon in
            try await stage.addSberPay(daemon, dialect)
            let sale = try await stage.sberPay(daemon, "sale", 19900, at: dialect)
            try await stage.press(daemon, sale, ["threeDS", "pass"])
            try await stage.wait(daemon, sale, for: "captured")
            let part: Json = ["amount": Stage.roubles(9900)]
            try await stage.call(daemon, .post, "/v1/payments/\(sale)/refund", part, key: "refund")
            try await stage.wait(daemon, sale, for: "partiallyRefunded")
            #expect(try await stage.sberPayLedger(daemon, sale) == ["charge 19900", "refund 9900"])

            let hold = try await stage.sberPay(daemon, "hold", 5000, at: dialect, mode: "authorize")
            try await stage.press(daemon, hold, ["approve"])
            try await stage.wait(daemon, hold, for: "authorized")
            let taken: Json = ["amount": Stage.roubles(3000)]
            try await stage.call(daemon, .post, "/v1/payments/\(hold)/capture", taken, key: "capture")
            try await stage.wait(daemon, hold, for: "captured")
            #expect(try await stage.sberPayLedger(daemon, hold) == ["hold 5000", "capture 3000", "release 2000"])

            let void = try await stage.sberPay(daemon, "void", 700, at: dialect, mode: "authorize")
            try await stage.press(daemon, void, ["decline", "approve"])
            try await stage.wait(daemon, void, for: "authorized")
            try await stage.call(daemon, .post, "/v1/payments/\(void)/void", [:], key: "void")
            try await stage.wait(daemon, void, for: "voided")
            #expect(try await stage.sberPayLedger(daemon, void) == ["hold 700", "release 700"])

            let declined = try await stage.sberPay(daemon, "declined", 800, at: dialect)
            try await stage.press(daemon, declined, ["refuse"])
            try await stage.wait(daemon, declined, for: "failed")
            #expect(try await stage.sberPayLedger(daemon, declined).isEmpty)
            #expect(try await stage.count("paystream.quarantine") == 0)
            try await stage.verifyReplay()
        }
    }

    @Test func `what the bank thinks about is resolved by its callback, and by asking where none comes`() async throws {
        try await Stage.run("e2esberpending") { stage, daemon in
            // So seldom that only a callback can be in time.
            try await stage.addSberPay(daemon, "legacy", [("pollFirstSeconds", 600), ("pollCapSeconds", 600)])
            try await stage.addSberPay(daemon, "ecom")
            let told = try await stage.sberPay(daemon, "told", 1000, at: "legacy")
            try await stage.press(daemon, told, ["wait"])
            try await stage.wait(daemon, told, for: "captured")
            let inputs = "paystream.input WHERE name = 'sberpay.notification'"
            #expect(try await stage.count(inputs) > 0)

            try await stage.sberPayFault("forgedCallback", on: "callback")
            let forged = try await stage.sberPay(daemon, "forged", 1000, at: "legacy")
            try await stage.press(daemon, forged, ["approve"])
            try await stage.until("a forged callback is kept apart") { () -> Stage.Look<Void> in
                try await stage.count("paystream.quarantine") > 0 ? .done(()) : .notYet("none")
            }
            #expect(try await stage.payment(daemon, forged)["status"] == "requiresAction")
            try await stage.call(daemon, .post, "/v1/payments/\(forged)/sync", [:], key: "sync")
            try await stage.wait(daemon, forged, for: "captured")

            try await stage.sberPayFault("withheldCallback", on: "callback")
            try await stage.sberPayFault("withheldCallback", on: "callback")
            let asked = try await stage.sberPay(daemon, "asked", 1000)
            try await stage.press(daemon, asked, ["wait"])
            try await stage.wait(daemon, asked, for: "captured")
            let name = try await stage.providerName(daemon, asked)
            let journal = try await stage.control("/sberpay/sandbox/journal?payment_id=\(name)")
            let callbacks = (journal["entries"]?.items ?? []).filter { $0["kind"] == "callback" }
            #expect(callbacks.allSatisfy { $0["outcome"] == "withheldCallback" } && callbacks.count == 2)
            try await stage.verifyReplay()
        }
    }

    @Test func `who asks sooner than the bank may be asked is heard as soon as it may`() async throws {
        try await Stage.run("e2esbersoon") { stage, daemon in
            // Nothing but the second request can find the money.
            let seldom: [(String, Json)] = [
                ("pollFirstSeconds", 600), ("pollCapSeconds", 600), ("pollAtLeastSeconds", 3),
            ]
            try await stage.addSberPay(daemon, "legacy", seldom)
            let id = try await stage.sberPay(daemon, "soon", 1000, at: "legacy")
            try await stage.wait(daemon, id, for: "requiresAction")
            try await stage.call(daemon, .post, "/v1/payments/\(id)/sync", [:], key: "first")
            try await stage.until("the bank was asked") {
                let answers = try await stage.count("paystream.event WHERE type = 'dispatch.observed.v1'")
                return answers == 2 ? .done(()) : .notYet("\(answers)")
            }
            for _ in 0..<2 { try await stage.sberPayFault("withheldCallback", on: "callback") }
            try await stage.press(daemon, id, ["approve"])
            try await stage.call(daemon, .post, "/v1/payments/\(id)/sync", [:], key: "second")
            try await stage.wait(daemon, id, for: "captured")
            #expect(try await stage.count("paystream.input WHERE name = 'sberpay.notification'") == 0)
        }
    }

    @Test func `a saved card pays again, and a lost or doubtful answer to that is asked about`() async throws {
        try await Stage.run("e2esberbinding") { stage, daemon in
            try await stage.addSberPay(daemon, "ecom")
            let first = try await stage.sberPay(daemon, "first", 1500)
            try await stage.press(daemon, first, ["save"])
            try await stage.wait(daemon, first, for: "captured")
            let instrument = try await stage.savedInstrument(daemon, first)
            let byCard: [(String, Json)] = [("method", "instrument"), ("instrument", .string(instrument))]
            let second = try await stage.sberPay(daemon, "second", 300, byCard)
            try await stage.wait(daemon, second, for: "captured")
            try await stage.sberPayFault("errorAfter", on: "recurrentPayment")
            let lost = try await stage.sberPay(daemon, "lost", 301, byCard)
            try await stage.wait(daemon, lost, for: "captured")
            try await stage.sberPayFault("unknownOutcome", on: "recurrentPayment")
            let doubtful = try await stage.sberPay(daemon, "doubtful", 302, byCard)
            try await stage.wait(daemon, doubtful, for: "captured")
            for (id, amount) in [(second, 300), (lost, 301), (doubtful, 302)] {
                #expect(try await stage.sberPayLedger(daemon, id) == ["charge \(amount)"])
            }
            // Fourteen days between two charges: the first one was the payment that kept the card.
            let recurrent: Json = ["recurrent": ["frequencyDays": 14]]
            let charges = "paystream.event WHERE type = 'instrument.charged.v1'"
            let before = try await stage.count(charges)
            let mandated = try await stage.sberPay(daemon, "mandated", 1500, [("details", recurrent)])
            try await stage.press(daemon, mandated, ["approve"])
            try await stage.wait(daemon, mandated, for: "captured")
            let bounded = try await stage.savedInstrument(daemon, mandated)
            try await stage.until("the charge is known") { () -> Stage.Look<Void> in
                try await stage.count(charges) > before ? .done(()) : .notYet("none")
            }
            let early: Json = [
                "account": "sberpay-ecom", "mode": "sale", "method": "instrument", "customer": "cust-1",
                "instrument": .string(bounded), "amount": Stage.roubles(100),
            ]
            let refused = try await stage.exchange(daemon, .post, "/v1/payments", early, key: "too-soon")
            #expect(String(decoding: refused.body, as: UTF8.self).contains("mandate_too_soon"))
            #expect(try await stage.sberPayLedger(daemon, mandated) == ["charge 1500"])
            // The address came with the answer: nobody can pay that order, and a new payment has a number of its own.
            try await stage.sberPayFault("errorAfter", on: "register")
            let unreachable = try await stage.sberPay(daemon, "unreachable", 303)
            try await stage.wait(daemon, unreachable, for: "failed")
            try await stage.sberPayFault("errorAfter", on: "refund")
            try await stage.call(daemon, .post, "/v1/payments/\(second)/refund", [:], key: "refund")
            try await stage.wait(daemon, second, for: "refunded")
            #expect(try await stage.sberPayLedger(daemon, second) == ["charge 300", "refund 300"])
            try await stage.verifyReplay()
        }
    }

    @Test func `a series charges its binding within the mandate, and a binding that the bank dropped is marked`()
        async throws
    {
        try await Stage.run("e2esberseries") { stage, daemon in
            try await stage.addSberPay(daemon, "ecom")
            func series(_ name: String, _ more: [(String, Json)]) -> Json {
                .object(
                    JsonObject(
                        [
                            ("account", "sberpay-ecom"), ("amount", Stage.roubles(700)), ("customer", "cust-1"),
                            ("kind", "regular"), ("mandate", ["minimumDays": 14]), ("reference", .string(name)),
                            ("details", ["payer": ["email": "payer@example.org"]]),
                        ] + more
                    )
                )
            }
            let first = try await stage.schedule(
                daemon,
                "first",
                series("first", [("rule", try await stage.rule(every: "month", inSeconds: 10))])
            )
            let check = try await stage.sberPay(daemon, "check", 0, mode: "verify", [("schedule", .string(first))])
            try await stage.press(daemon, check, ["save"])
            try await stage.wait(daemon, schedule: first, "is active") { $0["status"] == "active" }
            try await stage.wait(daemon, schedule: first, "was paid") { $0["paid"] == 1 }
            let instrument = try await stage.savedInstrument(daemon, check)
            let charged = try await stage.until("the mandate's charge is known") { () -> Stage.Look<Json> in
                let seen = try await stage.call(daemon, .get, "/v1/instruments/\(instrument)")
                return seen.at("mandate", "chargedAt") == nil ? .notYet(seen.canonicalText) : .done(seen)
            }
            #expect(charged.at("mandate", "days") == 14)
            // Neither the series nor a payment of its own is charged a second time on that day.
            let early = try await stage.exchange(daemon, .post, "/v1/schedules/\(first)/run", [:], key: "early")
            #expect(String(decoding: early.body, as: UTF8.self).contains("charges_too_close"))
            let other: Json = [
                "account": "sberpay-ecom", "mode": "sale", "method": "instrument", "customer": "cust-1",
                "instrument": .string(instrument), "amount": Stage.roubles(100),
            ]
            let refused = try await stage.exchange(daemon, .post, "/v1/payments", other, key: "too-soon")
            #expect(String(decoding: refused.body, as: UTF8.self).contains("mandate_too_soon"))
            let ledger = try await stage.control("/sberpay/sandbox/ledger")
            #expect((ledger["entries"]?.items ?? []).map { $0["amount"]?.integer } == [700])
            // The payer takes the card away in the bank's app: the bank lists it no longer.
            let listed = try await stage.call(daemon, .post, "/v1/instruments/\(instrument)/check", key: "look")
            #expect(try await stage.wasAskedOnce(listed), "\(listed.canonicalText)")
            try await stage.until("it is listed") { () -> Stage.Look<Void> in
                let seen = try await stage.call(daemon, .get, "/v1/instruments/\(instrument)")
                return seen.at("listing", "is") == "listed" ? .done(()) : .notYet(seen.canonicalText)
            }
            try await stage.dropSberPayBindings()
            try await stage.call(daemon, .post, "/v1/instruments/\(instrument)/check", key: "look-again")
            let gone = try await stage.until("it is marked") { () -> Stage.Look<Json> in
                let seen = try await stage.call(daemon, .get, "/v1/instruments/\(instrument)")
                return seen["status"] == "removed" ? .done(seen) : .notYet(seen.canonicalText)
            }
            #expect(gone.at("removal", "by") == "provider")
            try await stage.verifyReplay()
        }
    }

    @Test func `an unbinding whose answer was lost is told by the list of bindings`() async throws {
        try await Stage.run("e2esberunbind") { stage, daemon in
            try await stage.addSberPay(daemon, "ecom")
            let first = try await stage.sberPay(daemon, "first", 1500)
            try await stage.press(daemon, first, ["save"])
            try await stage.wait(daemon, first, for: "captured")
            let instrument = try await stage.savedInstrument(daemon, first)
            try await stage.sberPayFault("errorAfter", on: "unbindCard")
            try await stage.call(daemon, .delete, "/v1/instruments/\(instrument)", key: "remove")
            let gone = try await stage.until("it is removed at the bank") { () -> Stage.Look<Json> in
                let seen = try await stage.call(daemon, .get, "/v1/instruments/\(instrument)")
                return seen.at("removal", "atProvider") == "removed" ? .done(seen) : .notYet(seen.canonicalText)
            }
            #expect(gone.at("removal", "by") == "merchant" && gone.at("listing", "is") == "notListed")
            let journal = try await stage.control("/sberpay/sandbox/journal")
            let calls = (journal["entries"]?.items ?? []).filter { $0["kind"] == "call" }.compactMap {
                $0["name"]?.text
            }
            #expect(calls.filter { $0 == "unbindCard" }.count == 2, "one call, noted with its fault: \(calls)")
            #expect(calls.contains("getBindings"))
            try await stage.verifyReplay()
        }
    }

    @Test func `the app pays with what it was given, and what nobody commanded is adopted`() async throws {
        try await Stage.run("e2esberapp") { stage, daemon in
            try await stage.addSberPay(daemon, "ecom")
            let details: Json = ["app": ["osType": "ios", "deepLink": "shopapp://pay"]]
            let sale = try await stage.sberPay(daemon, "app", 2500, [("method", "sdk"), ("details", details)])
            try await stage.wait(daemon, sale, for: "requiresAction")
            let given = try await stage.call(daemon, .post, "/v1/payments/\(sale)/app-parameters", [:])
            let body: Json = ["action": "wait", "parameters": given["parameters"] ?? .null]
            let said = try await stage.control("/sberpay/sandbox/app", body)
            #expect(said.at("pay", "state") == "waiting")
            let claim: Json = ["call": "pay", "state": "waiting"]
            try await stage.call(daemon, .post, "/v1/payments/\(sale)/confirm", claim, key: "confirm")
            try await stage.wait(daemon, sale, for: "captured")

            let name = try await stage.providerName(daemon, sale)
            try await stage.control("/sberpay/sandbox/orders/\(name)/refund", ["amount": 500])
            try await stage.wait(daemon, sale, for: "partiallyRefunded")
            let hold = try await stage.sberPay(daemon, "hold", 900, mode: "authorize")
            try await stage.press(daemon, hold, ["approve"])
            try await stage.wait(daemon, hold, for: "authorized")
            let held = try await stage.providerName(daemon, hold)
            try await stage.control("/sberpay/sandbox/orders/\(held)/reverse", [:])
            try await stage.wait(daemon, hold, for: "released")
            #expect(try await stage.sberPayLedger(daemon, sale) == ["charge 2500", "refund 500"])
            try await stage.verifyReplay()
        }
    }
}

extension Stage {
    /// Whether the bank was asked once about a card, as the card shown tells: asked, or answered before it was shown.
    fileprivate func wasAskedOnce(_ shown: Json) async throws -> Bool {
        let asked = try await count("paystream.event WHERE type = 'instrument.check_licensed.v1'")
        let answered = try await count("paystream.event WHERE type = 'instrument.check_observed.v1'")
        let said = shown.at("listing", "is")?.text
        return asked == 1 && (said == "asked" || said == "listed" && answered == 1)
    }
}
