import Crypto
import Decisions
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Schedules
import TestKit
import Testing

/// Charges by a leave that its payer gave with the card go out one at a time, whoever asks for them.
struct PayersLeaveTests {
    private let scene = ScheduleScene(mandate: InstrumentFact.Mandate(endsAt: nil, days: 14))

    /// A harness with the card, and a provider that takes charges and tells of them later.
    private func harness() async throws -> EngineHarness {
        let harness = try await scene.harness()
        harness.wire.play { _ in .answered(.json(200, ["project_id": 42, "request_id": "r-1", "status": "success"])) }
        return harness
    }

    private func input(_ harness: EngineHarness, _ name: String) throws -> (PaymentId, InputRecord) {
        let id = PaymentId(.version5(namespace: harness.account, name: name))
        let terms = PaymentTerms(
            mode: .sale,
            method: .instrument,
            amount: try scene.euros(1999),
            reference: name,
            description: nil,
            customer: "cust-7",
            instrument: scene.card,
            expiresAt: harness.clock.now.adding(.seconds(86_400)),
            details: ["payer": ["email": "payer@example.org"]],
            metadata: [:]
        )
        let record = InputRecord(
            id: .version5(namespace: harness.account, name: "create \(name)"),
            stream: harness.stream(id),
            kind: .command,
            name: PaymentCommand.Name.create.rawValue,
            meta: InputMeta.command(
                actor: Actor(id: "backend", isOperator: false),
                account: harness.account,
                traceparent: nil,
                correlation: nil
            ),
            body: terms.json.canonical,
            receivedAt: harness.clock.now
        )
        return (id, record)
    }

    /// The codes of the refusals of payments that are decided together; `nil` where one is created.
    private func pay(_ harness: EngineHarness, _ names: [String], at node: Engine? = nil) async throws -> [String?] {
        let works = try names.map { Work(input: try input(harness, $0).1, fence: nil) }
        return try await (node ?? harness.engine).decisions.decide(works).map { outcome in
            if case .decided(_, .rejected(let code, _)) = outcome { return code }
            guard case .decided(_, .events) = outcome else { throw HarnessFailure(what: "\(outcome)") }
            return nil
        }
    }

    private func tell(_ harness: EngineHarness, _ name: String, _ word: String, _ number: Int64) async throws {
        let sale = CallbackOperation(id: number, type: "sale", status: word, minor: 1999)
        try await harness.deliver(try input(harness, name).0, sale, status: word)
        try await harness.settle()
    }

    private func card(_ harness: EngineHarness) async throws -> Instrument {
        let stream = StreamName(harness.merchant, .instrument, scene.card.uuid)
        let history = try await harness.store.load([(stream, 0)])[0]
        return Instrument.fold(scene.card, try history.map { try InstrumentEvent($0) })
    }

    @Test func `of two payments that are decided together one goes out, and of two on two nodes, too`() async throws {
        let harness = try await harness()
        #expect(try await pay(harness, ["a", "b"]).compactMap(\.self) == ["mandate_too_soon"])
        // The card's own stream has not heard of the first one yet.
        #expect(try await card(harness).openUses.isEmpty)
        #expect(try await pay(harness, ["c"], at: harness.neighbour()) == ["mandate_too_soon"])
        try await harness.settle()
        #expect(try await card(harness).openUses.count == 1)
        #expect(try await pay(harness, ["d"]) == ["mandate_too_soon"])
        #expect(try await harness.engine.replay.verify().isClean)
    }

    @Test(arguments: ["decline", "success"])
    func `whatever end a payment comes to, the leave is free for the next one`(word: String) async throws {
        let harness = try await harness()
        #expect(try await pay(harness, ["a"]) == [nil])
        try await harness.settle()
        #expect(try await pay(harness, ["b"]) == ["mandate_too_soon"])
        try await tell(harness, "a", word, 1)
        #expect(try await card(harness).openUses.isEmpty)
        let isPaid = word == "success"
        #expect(
            try await pay(harness, ["c"]) == [isPaid ? "mandate_too_soon" : nil],
            "fourteen days lie between charges"
        )
        harness.clock.advance(by: .seconds(14 * 86_400))
        if isPaid { #expect(try await pay(harness, ["d"]) == [nil]) }
        try await harness.settle()
        #expect(try await harness.engine.replay.verify().isClean)
    }

    @Test func `a payment that its payer never finishes holds the leave until it has expired`() async throws {
        let harness = try await harness()
        harness.wire.play { _ in .answered(.json(404, ["code": "3061", "project_id": 42, "status": "error"])) }
        #expect(try await pay(harness, ["a"]) == [nil])
        try await harness.settle()
        for _ in 0..<60 where try await harness.payment(try input(harness, "a").0).status.isOpen {
            harness.clock.advance(by: .seconds(3600))
            try await harness.settle()
        }
        let ended = try await harness.payment(try input(harness, "a").0).status
        #expect(!ended.isOpen, "\(ended)")
        #expect(try await card(harness).openUses.isEmpty)
        #expect(try await pay(harness, ["b"]) == [nil])
    }

    @Test func `two schedules that are due at one instant charge one card one after the other`() async throws {
        let harness = try await harness()
        let terms = try scene.terms(harness)
        try await scene.start(harness, terms)
        let second = ScheduleScene(mandate: scene.mandate, number: 2)
        try await second.start(harness, terms)
        try await scene.move(harness, to: "2027-01-31T07:00:00Z")
        #expect(scene.charges(harness).count == 1)
        let isFirst = try await scene.schedule(harness).hasTryInFlight
        let paid = try await (isFirst ? scene : second).schedule(harness).payment(1, attempt: 1)
        let sale = CallbackOperation(id: 1, type: "sale", status: "success", minor: 1999)
        try await harness.deliver(paid, sale, status: "success")
        try await harness.settle()
        let late = isFirst ? second : scene
        #expect(try await late.schedule(harness).open[1]?.state == .waiting)
        // Its retry, a day later, finds the day from which the card may be charged again.
        try await scene.move(harness, to: "2027-02-01T08:00:00Z")
        #expect(scene.charges(harness).count == 1)
        try await scene.move(harness, to: "2027-02-13T12:00:00Z")
        #expect(scene.charges(harness).count == 1)
        try await scene.move(harness, to: "2027-02-14T12:00:00Z")
        #expect(scene.charges(harness).count == 2)
        #expect(try await harness.engine.replay.verify().isClean)
    }
}
