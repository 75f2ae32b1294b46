import Http
import Kernel
import Sandbox
import Testing

/// Payments through the simulated Worldline Direct: whole lives, by page, by saved card, and with what goes wrong.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct WorldlinePaymentTests {
    @Test func `a page takes a second try, and a part goes back`() async throws {
        try await Stage.run("e2eworldlinepage") { stage, daemon in
            try await stage.addWorldline(daemon)
            let sale = try await stage.worldline(daemon, "page", 1000)
            try await stage.pressWorldline(daemon, sale, ["decline", "threeDS"])
            try await stage.wait(daemon, sale, for: "requiresAction")
            try await stage.pressBank(daemon, sale, "pass")
            try await stage.wait(daemon, sale, for: "captured")
            let part: Json = ["amount": Stage.euros(250)]
            try await stage.call(daemon, .post, "/v1/payments/\(sale)/refund", part, key: "part")
            try await stage.wait(daemon, sale, for: "partiallyRefunded")
            #expect(try await stage.worldlineLedger(daemon, sale) == ["charge 1000", "refund 250"])

            let left = try await stage.worldline(daemon, "left", 700)
            try await stage.pressWorldline(daemon, left, ["abandon"])
            try await stage.wait(daemon, left, for: "expired")
            #expect(try await stage.worldlineLedger(daemon, left) == [])
            try await stage.verifyReplay()
        }
    }

    @Test func `a hold is captured in parts and another is given back`() async throws {
        try await Stage.run("e2eworldlinehold") { stage, daemon in
            try await stage.addWorldline(daemon)
            let hold = try await stage.worldline(daemon, "hold", 1000, mode: "authorize")
            try await stage.pressWorldline(daemon, hold, ["approve"])
            try await stage.wait(daemon, hold, for: "authorized")
            for (index, cents) in ([300, 200] as [Int64]).enumerated() {
                let part: Json = ["amount": Stage.euros(cents)]
                try await stage.call(daemon, .post, "/v1/payments/\(hold)/capture", part, key: "capture-\(index)")
                try await stage.waitForCaptured(daemon, hold, index == 0 ? 300 : 500)
            }
            try await stage.call(daemon, .post, "/v1/payments/\(hold)/capture", [:], key: "capture-rest")
            try await stage.waitForCaptured(daemon, hold, 1000)
            let entries = ["hold 1000", "capture 300", "capture 200", "capture 500"]
            #expect(try await stage.worldlineLedger(daemon, hold) == entries)

            let void = try await stage.worldline(daemon, "void", 800, mode: "authorize")
            try await stage.pressWorldline(daemon, void, ["approve"])
            try await stage.wait(daemon, void, for: "authorized")
            try await stage.call(daemon, .post, "/v1/payments/\(void)/void", [:], key: "void")
            try await stage.wait(daemon, void, for: "voided")
            #expect(try await stage.worldlineLedger(daemon, void) == ["hold 800", "release 800"])
            try await stage.verifyReplay()
        }
    }

    @Test func `a card is saved with a payment, pays by its token, and is declined`() async throws {
        try await Stage.run("e2eworldlinecard") { stage, daemon in
            try await stage.addWorldline(daemon)
            let instrument = try await stage.savedWorldlineCard(daemon, "save")
            let paid = try await stage.worldline(daemon, "again", 450, instrument: instrument)
            try await stage.wait(daemon, paid, for: "captured")
            let declined = try await stage.worldline(daemon, "declined", 1302, instrument: instrument)
            let payment = try await stage.wait(daemon, declined, for: "failed")
            #expect(payment.canonicalText.contains("30511001"))
            #expect(try await stage.worldlineLedger(daemon, declined) == [])
            try await stage.verifyReplay()
        }
    }

    @Test func `a series goes on after its first payment without the payer`() async throws {
        try await Stage.run("e2eworldlineseries") { stage, daemon in
            try await stage.addWorldline(daemon)
            let begins: Json = ["credential": ["kind": "recurring", "sequence": "first"]]
            let first = try await stage.worldline(daemon, "first", 500, details: begins)
            try await stage.pressWorldline(daemon, first, ["threeDS"])
            try await stage.pressBank(daemon, first, "pass")
            let card = try await stage.savedInstrument(daemon, first)
            let payment = try await stage.payment(daemon, first)
            let id = payment["operations"]?.items?.first?["sightings"]?.items?.first?["providerId"]?.text
            for (name, more) in [("token", nil), ("successor", id)] as [(String, String?)] {
                let credential = Json.compact([
                    ("firstPayment", more.map(Json.string)), ("initiator", "merchant"), ("kind", "recurring"),
                    ("sequence", "subsequent"),
                ])
                let next = try await stage.worldline(
                    daemon,
                    name,
                    500,
                    instrument: card,
                    details: ["credential": credential]
                )
                try await stage.wait(daemon, next, for: "captured")
                #expect(try await stage.worldlineLedger(daemon, next) == ["charge 500"])
            }
            try await stage.verifyReplay()
        }
    }

    @Test func `a schedule's first payment begins a series at the network, and its charges name that payment`()
        async throws
    {
        try await Stage.run("e2eworldlineschedule") { stage, daemon in
            try await stage.addWorldline(daemon)
            let body: Json = [
                "account": "worldline-eur", "amount": Stage.euros(700), "customer": "cust-1", "kind": "regular",
                "reference": "sub", "rule": try await stage.rule(every: "month", inSeconds: 12),
            ]
            let id = try await stage.schedule(daemon, "sub", body)
            let first = try await stage.worldline(daemon, "first", 500, schedule: id)
            try await stage.pressWorldline(daemon, first, ["threeDS"])
            try await stage.pressBank(daemon, first, "pass")
            try await stage.wait(daemon, first, for: "captured")
            try await stage.wait(daemon, schedule: id, "is active") { $0["status"] == "active" }
            try await stage.wait(daemon, schedule: id, "was paid") { $0["paid"] == 1 }
            let all = try await stage.control("/worldline/sandbox/payments")["payments"]?.items ?? []
            #expect(all.map { $0["seriesIndicator"]?.text } == ["recurring first", "recurring recurring"])
            let agreed = all.first?.at(
                "paymentOutput",
                "cardPaymentMethodSpecificOutput",
                "initialSchemeTransactionId"
            )
            #expect(agreed != nil && all.last?["initialReference"] == agreed)
            try await stage.verifyReplay()
        }
    }

    @Test func `a lost answer is repeated under its key, and money moves once`() async throws {
        try await Stage.run("e2eworldlinelost") { stage, daemon in
            try await stage.addWorldline(daemon)
            let instrument = try await stage.savedWorldlineCard(daemon, "save")
            let fault: Json = ["busy": 1500, "fault": "errorAfter", "on": "payment"]
            try await stage.control("/worldline/sandbox/faults", fault)
            let sale = try await stage.worldline(daemon, "lost", 900, instrument: instrument)
            try await stage.wait(daemon, sale, for: "captured")
            try await stage.control("/worldline/sandbox/faults", ["fault": "errorAfter", "on": "refund"])
            try await stage.call(daemon, .post, "/v1/payments/\(sale)/refund", [:], key: "lost-refund")
            try await stage.wait(daemon, sale, for: "refunded")
            #expect(try await stage.worldlineLedger(daemon, sale) == ["charge 900", "refund 900"])
            try await stage.verifyReplay()
        }
    }

    @Test func `what waits for the acquirer ends by an event, or by a question`() async throws {
        try await Stage.run("e2eworldlinepending") { stage, daemon in
            try await stage.addWorldline(daemon)
            let instrument = try await stage.savedWorldlineCard(daemon, "save")
            try await stage.control("/worldline/sandbox/faults", ["fault": "pending", "on": "payment"])
            let told = try await stage.worldline(daemon, "told", 600, instrument: instrument)
            try await stage.wait(daemon, told, for: "processing")
            try await stage.settleWorldline(daemon, told)
            try await stage.wait(daemon, told, for: "captured")

            try await stage.control("/worldline/sandbox/faults", ["fault": "withheldEvent", "times": 100])
            let asked = try await stage.worldline(daemon, "asked", 650, instrument: instrument)
            try await stage.wait(daemon, asked, for: "captured")
            try await stage.verifyReplay()
        }
    }

    @Test func `operations nobody commanded are found, lists and repetitions are taken, forgeries are not`()
        async throws
    {
        try await Stage.run("e2eworldlineevents") { stage, daemon in
            try await stage.addWorldline(daemon)
            try await stage.control("/worldline/sandbox/merchants/PSPID01", ["batch": 2])
            let hold = try await stage.worldline(daemon, "portal", 1000, mode: "authorize")
            try await stage.pressWorldline(daemon, hold, ["approve"])
            try await stage.wait(daemon, hold, for: "authorized")
            let name = try await stage.providerName(daemon, hold)
            try await stage.control("/worldline/sandbox/faults", ["fault": "duplicateEvent"])
            try await stage.control("/worldline/sandbox/payments/\(name)/capture", ["amount": 400])
            try await stage.waitForCaptured(daemon, hold, 400)
            try await stage.control("/worldline/sandbox/merchants/PSPID01", ["batch": 1])
            #expect(try await stage.count("paystream.quarantine") == 0)

            try await stage.control("/worldline/sandbox/faults", ["fault": "forgedEvent"])
            try await stage.control("/worldline/sandbox/faults", ["fault": "unknownKeyEvent"])
            try await stage.control("/worldline/sandbox/payments/\(name)/refund", ["amount": 100])
            try await stage.until("two forged events are on the shelf") {
                let count = try await stage.count("paystream.quarantine")
                return count == 2 ? .done(()) : .notYet("\(count)")
            }
            // A new pair in the portal: the account knows both.
            let pair: Json = ["webhookKeyId": "wk-2", "webhookSecret": "second"]
            try await stage.control("/worldline/sandbox/merchants/PSPID01", pair)
            try await stage.control("/worldline/sandbox/payments/\(name)/refund", ["amount": 50])
            try await stage.until("both refunds are known") {
                let payment = try await stage.payment(daemon, hold)
                let refunded = payment.at("amounts", "refunded")?.integer
                return refunded == 150 ? .done(()) : .notYet(payment.canonicalText)
            }
            #expect(try await stage.count("paystream.quarantine") == 2)
            let entries = ["hold 1000", "capture 400", "refund 100", "refund 50"]
            #expect(try await stage.worldlineLedger(daemon, hold) == entries)
            try await stage.verifyReplay()
        }
    }
}
