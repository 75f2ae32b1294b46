import Engine
import EventSourcing
import Kernel
import Payments
import TestKit
import Testing

/// Which payments may use a saved credential: decided from the recorded context alone.
struct InstrumentUseTests {
    private let id = InstrumentId(Uuid(high: 0x1257, low: 1))

    private func save(_ harness: EngineHarness, account: Uuid? = nil, customer: String? = "cust-7") async throws {
        let account = account ?? harness.account
        let sealed = harness.vault.seal(secrets: ["t": Secret("tok")], account: account, merchant: harness.merchant)
        let fact = InstrumentFact(
            token: sealed["t"] ?? .null,
            fingerprint: "f-1",
            masked: "431422******0056",
            scheme: "visa",
            expiryYear: 2030,
            expiryMonth: 12
        )
        let saved = SavedInstrument(fact: fact, account: account, customer: customer, payment: nil)
        try await command(harness, .save(saved))
    }

    private func command(_ harness: EngineHarness, _ command: InstrumentCommand) async throws {
        let stream = StreamName(harness.merchant, .instrument, id.uuid)
        let outcome = await harness.command(stream, command.name.rawValue, command.json)
        guard case .decided(_, .events) = outcome else { throw HarnessFailure(what: "instrument: \(outcome)") }
    }

    /// The code of the refusal of a payment that names the instrument; `nil` where it is created.
    private func pay(_ harness: EngineHarness, by customer: String? = "cust-7", method: PaymentMethod = .instrument)
        async throws -> String?
    {
        harness.clock.advance(by: .microseconds(1))
        let now = harness.clock.now
        let terms = PaymentTerms(
            mode: .sale,
            method: method,
            amount: Currency("EUR").map { Money(1999, $0) },
            reference: nil,
            description: nil,
            customer: customer,
            instrument: id,
            expiresAt: now.adding(.seconds(3600)),
            details: ["payer": ["email": "payer@example.org"]],
            metadata: [:]
        )
        let payment = PaymentId(Uuid(high: 0x9A1, low: UInt64(now.microseconds)))
        let outcome = await harness.command(
            harness.stream(payment),
            PaymentCommand.Name.create.rawValue,
            terms.json
        )
        if case .decided(_, .rejected(let code, _)) = outcome { return code }
        guard case .decided(_, .events) = outcome else { throw HarnessFailure(what: "create: \(outcome)") }
        return nil
    }

    @Test func `a payment uses its own customer's instrument, while it may, and replays so`() async throws {
        let harness = try await EngineHarness()
        #expect(try await pay(harness) == "instrument_unknown")
        try await save(harness)
        #expect(try await pay(harness) == nil)
        #expect(try await pay(harness, by: "cust-8") == "instrument_not_owned")
        #expect(try await pay(harness, by: nil, method: .hosted) == "instrument_not_owned")
        harness.clock.advance(by: .seconds(1))
        try await harness.settle()
        try await command(harness, .remove(reason: "lost"))
        #expect(try await pay(harness) == "instrument_removed")
        let report = try await harness.engine.replay.verify()
        #expect(report.isClean, "\(report.differences)")
        #expect(report.decisions >= 8)
    }

    @Test func `what a payment used and where nobody at the provider is asked stand in the instrument's own log`()
        async throws
    {
        let harness = try await EngineHarness()
        try await save(harness)
        #expect(try await pay(harness) == nil)
        try await harness.settle()
        let used = try await instrument(harness)
        #expect(used.uses == 1)
        #expect(used.lastUsedAt != nil)
        try await command(harness, .remove(reason: nil))
        let removed = try await instrument(harness)
        #expect(removed.status == .removed)
        #expect(removed.removal == .notSupported)
        #expect(removed.liveEffects.isEmpty)
    }

    @Test func `an instrument's last month ends by its own timer`() async throws {
        let harness = try await EngineHarness()
        try await save(harness)
        harness.clock.advance(by: Timestamp(seconds: 1_925_078_400).since(harness.clock.now))
        try await harness.settle()
        let ended = try await instrument(harness)
        #expect(ended.status == .expired)
        #expect(ended.nextEnd == nil)
        #expect(try await harness.engine.replay.verify().isClean)
    }

    private func instrument(_ harness: EngineHarness) async throws -> Instrument {
        let stream = StreamName(harness.merchant, .instrument, id.uuid)
        let history = try await harness.store.load([(stream, 0)])[0]
        return Instrument.fold(id, try history.map { try InstrumentEvent(type: $0.type, data: $0.data) })
    }

    @Test func `an expired instrument and one of another account are refused`() async throws {
        let harness = try await EngineHarness()
        try await save(harness)
        // 2031-01-02
        harness.clock.advance(by: Timestamp(seconds: 1_925_078_400).since(harness.clock.now))
        #expect(try await pay(harness) == "instrument_expired")
        let other = try await EngineHarness()
        try await save(other, account: Uuid(high: 0xACC0, low: 2))
        #expect(try await pay(other) == "instrument_unknown")
    }
}
