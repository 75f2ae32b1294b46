import Http
import Kernel
import Testing

/// Answers of Worldline that say something else than what it did: what counts is what it did.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct WorldlineAnswerTests {
    private static func refusal(_ status: Int, _ codes: String...) -> HttpResponse {
        .json(status, ["errorId": "e", "errors": .array(codes.map { ["errorCode": .string($0)] })])
    }

    /// What says nothing about the message that was sent first under the key.
    private static let refusals: [HttpResponse] =
        [400, 403, 404, 409].map { .html($0, "<html>\($0)</html>") } + [
            refusal(400, "1409", "30001002"), refusal(409, "1409", "30001002"), refusal(400, "31415926"),
            refusal(403, "9002"), refusal(404, "1002"), refusal(402, "30041001"),
        ]

    /// So seldom that nothing is asked by itself.
    private static let seldom: [(String, Json)] = [("pollFirstSeconds", 600), ("pollCapSeconds", 600)]

    @Test func `a charge whose answer was lost fails by no refusal of its repetition`() async throws {
        try await Stage.run("e2eworldlineturned") { stage, daemon in
            let provider = try stage.toldProvider()
            try await stage.addWorldline(daemon, at: provider.address)
            let card = try await stage.savedWorldlineCard(daemon, "save")
            // Nothing but answers tells how a charge ended.
            try await stage.control("/worldline/sandbox/faults", ["fault": "withheldEvent", "times": 1000])
            var charges: [(id: String, cents: Int64)] = []
            for (index, refusal) in Self.refusals.enumerated() {
                // The provider declines the first one.
                let cents = index == 0 ? 1302 : 1900 + Int64(index)
                provider.tell(.lost, on: "/payments\n", "\"amount\":\(cents),")
                provider.tell(.said(refusal), times: .max, on: "/payments\n", "\"amount\":\(cents),")
                let id = try await stage.worldline(daemon, "turned-\(index)", cents, instrument: card)
                charges.append((id, cents))
            }
            for (id, cents) in charges {
                try await stage.until("\(cents) was turned away twice") {
                    let count = provider.messages(naming: "/payments\n", "\"amount\":\(cents),").count
                    return count > 2 ? .done(()) : .notYet("\(count)")
                }
                let payment = try await stage.payment(daemon, id)
                #expect(payment["status"] == "indeterminate", "\(cents): \(payment.canonicalText)")
                let next = try await stage.call(daemon, .get, "/v1/payments/\(id)/next-action")
                #expect(["wait", "none"].contains(next["type"]?.text), "\(next.canonicalText)")
            }
            provider.forget()
            for (index, (id, cents)) in charges.enumerated() {
                try await stage.wait(daemon, id, for: index == 0 ? "failed" : "captured")
                #expect(try await stage.worldlineLedger(daemon, id) == (index == 0 ? [] : ["charge \(cents)"]))
                let sent = provider.messages(naming: "/payments\n", "\"amount\":\(cents),")
                #expect(Set(sent.map(\.key)).count == 1, "\(cents): one licence's key")
            }
            try await stage.verifyReplay()
        }
    }

    @Test func `dunning charges no card again while nobody knows what became of the first charge`() async throws {
        try await Stage.run("e2eworldlinedunning") { stage, daemon in
            let provider = try stage.toldProvider()
            // A clock does not move while a provider is about to be asked.
            try await stage.addWorldline(daemon, at: provider.address, Self.seldom)
            try await stage.call(daemon, .put, "/v1/clock", ["at": "2028-01-01T00:00:00Z"])
            // A node may believe for a second that nobody owns a clock.
            try await Task.sleep(for: .seconds(1))
            let body: Json = [
                "account": "worldline-eur", "amount": Stage.euros(777), "customer": "cust-1", "kind": "regular",
                "reference": "sub", "rule": ["period": "month", "start": "2028-02-01", "time": "10:00", "zone": "UTC"],
            ]
            let id = try await stage.schedule(daemon, "sub", body)
            let first = try await stage.worldline(daemon, "first", 500, schedule: id)
            try await stage.pressWorldline(daemon, first, ["threeDS"])
            try await stage.pressBank(daemon, first, "pass")
            try await stage.wait(daemon, first, for: "captured")
            try await stage.wait(daemon, schedule: id, "is active") { $0["status"] == "active" }
            try await stage.control("/worldline/sandbox/faults", ["fault": "withheldEvent", "times": 1000])
            provider.tell(.lost, on: "/payments\n", "\"amount\":777,")
            provider.tell(.said(Self.refusal(402, "30051001")), times: .max, on: "/payments\n", "\"amount\":777,")
            try await stage.advance(daemon, to: "2028-02-02")
            let charge = try await stage.until("the charge is made") {
                let newest = try await stage.call(daemon, .get, "/v1/payments")["items"]?.items?.first?["id"]?.text
                return newest.map { $0 == first ? .notYet("none") : .done($0) } ?? .notYet("none")
            }
            try await stage.look(daemon, charge, until: "the repetition was turned away") { _ in
                provider.messages(naming: "/payments\n", "\"amount\":777,").count > 1
            }
            for day in ["02-12", "02-22"] {
                try await stage.advance(daemon, to: "2028-\(day)")
                #expect(try await stage.payment(daemon, charge)["status"] == "indeterminate")
            }
            let payments = "paystream.event WHERE type = 'payment.created.v1'"
            #expect(try await stage.count(payments) == 2, "the first payment, and the charge that nobody knows of")
            // An event that was late tells it.
            let name = try await stage.providerName(daemon, charge)
            let events = try await stage.control("/worldline/sandbox/events?reference=\(name)")["events"]?.items ?? []
            let last = try #require(events.last?["id"]?.integer)
            try await stage.control("/worldline/sandbox/events/\(last)/send", [:])
            try await stage.wait(daemon, charge, for: "captured")
            try await stage.wait(daemon, schedule: id, "was paid") { $0["paid"] == 1 }
            let sent = provider.messages(naming: "/payments\n", "\"amount\":777,")
            #expect(Set(sent.map(\.key)).count == 1)
            let ledger = try await stage.control("/worldline/sandbox/ledger")["entries"]?.items ?? []
            #expect(ledger.map { $0["amount"]?.integer } == [500, 777])
            try await stage.verifyReplay()
        }
    }

    @Test func `a void that comes behind a capture is refused, looked up and ends captured`() async throws {
        try await Stage.run("e2eworldlinelatevoid") { stage, daemon in
            let provider = try stage.toldProvider()
            try await stage.addWorldline(daemon, at: provider.address)
            let hold = try await stage.worldline(daemon, "hold", 1000, mode: "authorize")
            try await stage.pressWorldline(daemon, hold, ["approve"])
            try await stage.wait(daemon, hold, for: "authorized")
            try await stage.control("/worldline/sandbox/faults", ["fault": "withheldEvent", "times": 1000])
            let name = try await stage.providerName(daemon, hold)
            try await stage.control("/worldline/sandbox/payments/\(name)/capture", ["amount": 1000])
            try await stage.until("the provider has taken it") {
                let ledger = try await stage.worldlineLedger(daemon, hold)
                return ledger == ["hold 1000", "capture 1000"] ? .done(()) : .notYet("\(ledger)")
            }
            #expect(try await stage.payment(daemon, hold)["status"] == "authorized", "nobody was told")
            try await stage.call(daemon, .post, "/v1/payments/\(hold)/void", [:], key: "void")
            let payment = try await stage.wait(daemon, hold, for: "captured")
            #expect(Stage.sum(payment, "captured") == 1000 && Stage.sum(payment, "released") == 0)
            #expect(Stage.operations(payment, "capture") == ["provider succeeded 1000"])
            #expect(provider.messages(naming: "/cancel").count == 1)
            #expect(try await stage.worldlineLedger(daemon, hold) == ["hold 1000", "capture 1000"])
            try await stage.verifyReplay()
        }
    }

    @Test func `a list of events about two payments tells of both`() async throws {
        try await Stage.run("e2eworldlinelist") { stage, daemon in
            try await stage.addWorldline(daemon, Self.seldom)
            let card = try await stage.savedWorldlineCard(daemon, "save")
            try await stage.control("/worldline/sandbox/faults", ["fault": "pending", "on": "payment", "times": 2])
            try await stage.control("/worldline/sandbox/merchants/PSPID01", ["batch": 2])
            var ids: [String] = []
            for name in ["one", "two"] {
                ids.append(try await stage.worldline(daemon, name, 600, instrument: card))
            }
            for id in ids { try await stage.wait(daemon, id, for: "processing") }
            for id in ids { try await stage.settleWorldline(daemon, id) }
            for id in ids {
                try await stage.wait(daemon, id, for: "captured")
                #expect(try await stage.worldlineLedger(daemon, id) == ["charge 600"])
            }
            let events = try await stage.control("/worldline/sandbox/events")["events"]?.items ?? []
            var names: [String] = []
            for id in ids { names.append(try await stage.providerName(daemon, id)) }
            let both = events.filter { event in names.allSatisfy { event["body"]?.text?.contains($0) == true } }
            #expect(!both.isEmpty, "one delivery told of both")
            try await stage.verifyReplay()
        }
    }
}

extension Stage {
    /// Moves the merchant's clock to the beginning of a day, and waits until it has arrived.
    fileprivate func advance(_ daemon: DaemonProcess, to day: String) async throws {
        try await call(daemon, .post, "/v1/clock/advance", ["to": .string("\(day)T00:00:00Z")])
        try await until("\(day) has come") {
            let clock = try await self.call(daemon, .get, "/v1/clock")
            return clock["travellingTo"] == nil ? .done(()) : .notYet(clock.canonicalText)
        }
    }
}
