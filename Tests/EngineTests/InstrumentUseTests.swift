import Crypto
import Decisions
import Engine
import EventSourcing
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing

/// Which payments may use a saved credential: decided from the recorded context alone.
struct InstrumentUseTests {
    private let id = InstrumentId(Uuid(high: 0x1257, low: 1))

    private func save(
        _ harness: EngineHarness,
        account: Uuid? = nil,
        customer: String? = "cust-7",
        token: Json? = nil,
        until year: Int = 2030
    ) async throws {
        let saved = try saved(harness, account: account, customer: customer, token: token, until: year)
        try await command(harness, .save(saved))
    }

    private func saved(
        _ harness: EngineHarness,
        account: Uuid? = nil,
        customer: String? = "cust-7",
        token: Json? = nil,
        until year: Int = 2030
    ) throws -> SavedInstrument {
        let account = account ?? harness.account
        let sealed = harness.vault.seal(secrets: ["t": Secret("tok")], account: account, merchant: harness.merchant)
        let fact = InstrumentFact(
            token: token ?? sealed["t"] ?? .null,
            fingerprint: "f-1",
            masked: "431422******0056",
            scheme: "visa",
            expiryYear: year,
            expiryMonth: 12
        )
        return SavedInstrument(fact: fact, account: account, customer: customer, payment: nil)
    }

    /// Puts a command into the credential's mailbox, as the decision about a payment does.
    private func admit(_ harness: EngineHarness, _ command: InstrumentCommand) async throws {
        let input = InputRecord.sent(
            .version5(namespace: id.uuid, name: command.name.rawValue),
            to: StreamName(harness.merchant, .instrument, id.uuid),
            command,
            by: "a payment",
            account: harness.account,
            at: harness.clock.now
        )
        #expect(try await harness.store.admit([input]) == [true])
    }

    /// The command to create a payment with the credential.
    private func creation(in harness: EngineHarness) -> InputRecord {
        harness.clock.advance(by: .microseconds(1))
        let terms = terms(harness, by: "cust-7", method: .instrument)
        let number = UInt64(harness.clock.now.microseconds)
        return InputRecord(
            id: Uuid(high: 0x9A2, low: number),
            stream: harness.stream(PaymentId(Uuid(high: 0x9A1, low: number))),
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
    }

    private func terms(_ harness: EngineHarness, by customer: String?, method: PaymentMethod) -> PaymentTerms {
        PaymentTerms(
            mode: .sale,
            method: method,
            amount: Currency("EUR").map { Money(1999, $0) },
            reference: nil,
            description: nil,
            customer: customer,
            instrument: id,
            expiresAt: harness.clock.now.adding(.seconds(3600)),
            details: ["payer": ["email": "payer@example.org"]],
            metadata: [:]
        )
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
        try await create(harness, by: customer, method: method).refusal
    }

    private func create(
        _ harness: EngineHarness,
        by customer: String? = "cust-7",
        method: PaymentMethod = .instrument
    ) async throws -> (id: PaymentId, refusal: String?) {
        harness.clock.advance(by: .microseconds(1))
        let now = harness.clock.now
        let terms = terms(harness, by: customer, method: method)
        let payment = PaymentId(Uuid(high: 0x9A1, low: UInt64(now.microseconds)))
        let outcome = await harness.command(
            harness.stream(payment),
            PaymentCommand.Name.create.rawValue,
            terms.json
        )
        if case .decided(_, .rejected(let code, _)) = outcome { return (payment, code) }
        guard case .decided(_, .events) = outcome else { throw HarnessFailure(what: "create: \(outcome)") }
        return (payment, nil)
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

    /// A payment shows a credential with its own decision; that of the credential follows by the mailbox.
    @Test(arguments: [false, true])
    func `a refusal waits for what waits to save the credential, and for nothing else`(isRemoved: Bool) async throws {
        let harness = try await EngineHarness()
        if isRemoved {
            try await save(harness)
            try await command(harness, .remove(reason: nil))
            #expect(try await pay(harness) == "instrument_removed")
        }
        try await admit(harness, .report(.invalid(code: "7")))
        #expect(try await pay(harness) == (isRemoved ? "instrument_removed" : "instrument_unknown"))
        try await admit(harness, .save(try saved(harness)))
        let payment = creation(in: harness)
        #expect(await harness.engine.decisions.decide([Work(input: payment, fence: nil)]) == [.busy])
        #expect(try await harness.store.decision(payment.id, merchant: harness.merchant) == nil)
        _ = try await harness.store.admit([payment])
        try await harness.settle()
        let decision = try #require(try await harness.store.decision(payment.id, merchant: harness.merchant))
        guard case .events = decision.record.outcome else { throw HarnessFailure(what: "\(decision.record)") }
        #expect(try await harness.engine.replay.verify().isClean)
    }

    @Test func `what is admitted behind a command keeps nobody waiting`() async throws {
        let harness = try await EngineHarness()
        let payment = creation(in: harness)
        _ = try await harness.store.admit([payment])
        try await admit(harness, .save(try saved(harness)))
        let leases = try await harness.store.claimMail(owner: "a test", lease: .seconds(15))
        let lease = try #require(leases.first { $0.stream == payment.stream })
        let outcomes = await harness.engine.decisions.decide([Work(input: payment, fence: lease.fence)])
        guard case .decided(_, .rejected("instrument_unknown", _)) = outcomes[0] else {
            throw HarnessFailure(what: "\(outcomes)")
        }
    }

    @Test(arguments: [false, true])
    func `a batch reads the instruments that it looks at once, and each decision its own where that fails`(
        isBroken: Bool
    ) async throws {
        let (loads, isCounting) = (Locked(0), Locked(false))
        let harness = try await EngineHarness(faults: { call in
            guard call == .load, isCounting.withLock({ $0 }) else { return nil }
            let number = loads.withLock { loads in
                loads += 1
                return loads
            }
            return isBroken && number == 1 ? .before(StoreFailure(.corrupt, detail: "a test")) : nil
        })
        try await save(harness)
        let payments = (0..<12).map { _ in Work(input: creation(in: harness), fence: nil) }
        isCounting.withLock { $0 = true }
        let outcomes = await harness.engine.decisions.decide(payments)
        for outcome in outcomes {
            guard case .decided(_, .events) = outcome else { throw HarnessFailure(what: "\(outcome)") }
        }
        #expect(loads.withLock { $0 } == (isBroken ? 1 + payments.count : 1))
    }

    /// An API, a node without time, and a mailbox that is worked off meanwhile.
    @Test func `a command that came early is answered as if it had come later`() async throws {
        let harness = try await EngineHarness()
        try await admit(harness, .save(try saved(harness)))
        let payment = creation(in: harness)
        async let result = harness.engine.commands.take(payment, macs: [[1]])
        while try await harness.store.decision(payment.id, merchant: harness.merchant) == nil {
            try await harness.settle()
            try await Task.sleep(for: .milliseconds(2))
        }
        let taken = await result
        guard case .accepted(stream: payment.stream, version: _, isReplay: false) = taken else {
            throw HarnessFailure(what: "\(taken)")
        }
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

    /// Sealed anew, its token is other bytes; what was licensed is shown all the same, and so it is after its last month.
    @Test func `a page outlives other news of its card`() async throws {
        let harness = try await EngineHarness()
        try await save(harness, token: "first")
        let id = try await create(harness).id
        try await harness.settle()
        let page = try #require(try await address(harness, id))
        try await save(harness, token: "second", until: 2031)
        try await harness.settle()
        #expect(try await address(harness, id) == page)
        try await command(harness, .report(.invalid(code: "51")))
        try await harness.settle()
        #expect(try await address(harness, id) == page)
        #expect(try await harness.payment(id).payerAction == .handover)
    }

    /// The page shows the card's token, and nobody is sent to it any more: neither by the payment nor by anything beside it.
    @Test func `a removed card cancels what waits for its payer, once, and nothing else`() async throws {
        let harness = try await EngineHarness()
        try await save(harness)
        let waiting = try await create(harness).id
        let unwanted = try await create(harness).id
        try await harness.settle()
        #expect(try await harness.payment(waiting).payerAction == .handover)
        _ = await harness.command(harness.stream(unwanted), "payment.void", [:])
        try await harness.settle()
        let before = try await harness.payment(unwanted).version

        try await command(harness, .remove(reason: nil))
        try await harness.settle()
        let payment = try await harness.payment(waiting)
        #expect(payment.payerAction == nil && payment.cancelRequestedBy == Payment.ruleActor)
        #expect(payment.obligations.map(\.kind) == [.cancellation], "\(payment.obligations)")
        #expect(try await harness.payment(unwanted).cancelRequestedBy != Payment.ruleActor)
        #expect(try await harness.payment(unwanted).version >= before)
        #expect(try await instrument(harness).waitingUses.keys.contains(waiting.uuid))
        #expect(try await harness.engine.replay.verify().isClean)
    }

    /// A payment that was created while the card was being removed tells its use behind the removal.
    @Test func `a use that arrives after the removal is told of it, once`() async throws {
        let harness = try await EngineHarness()
        try await save(harness)
        try await command(harness, .remove(reason: nil))
        let late = try await harness.create(.sale, minor: 1999, key: "late")
        let other = try await harness.create(.sale, minor: 1999, key: "other")
        try await harness.settle()
        let before = try await harness.payment(late).version
        try await command(harness, .use(late.uuid, .payment))
        try await harness.settle()
        let told = try await harness.payment(late).version
        harness.clock.advance(by: .microseconds(1))
        #expect(told > before)
        try await command(harness, .use(other.uuid, .payment))
        try await harness.settle()
        #expect(try await harness.payment(late).version == told)
        #expect(try await harness.engine.replay.verify().isClean)
    }

    /// The page was open when the card was removed: money that is taken goes back, and the card stays where it is.
    @Test func `a payment by a removed card does not bring it back`() async throws {
        let harness = try await EngineHarness()
        try await save(harness)
        let id = try await create(harness).id
        try await harness.settle()
        let saved = try #require(try await instrument(harness).saved)
        try await command(harness, .remove(reason: nil))
        let again = SavedInstrument(fact: saved.fact, account: saved.account, customer: saved.customer, payment: id)
        harness.clock.advance(by: .microseconds(1))
        _ = await harness.command(
            StreamName(harness.merchant, .instrument, self.id.uuid),
            InstrumentCommand.save(again).name.rawValue,
            again.json
        )
        #expect(try await instrument(harness).status == .removed)
        try await harness.settle()
        #expect(try await harness.payment(id).cancelRequestedBy == Payment.ruleActor)
        // Whoever types it in anew has saved it anew.
        harness.clock.advance(by: .microseconds(1))
        try await save(harness, until: 2031)
        #expect(try await instrument(harness).status == .usable)
    }

    @Test func `a payment that ended is no use that waits`() async throws {
        let harness = try await EngineHarness()
        try await save(harness)
        let id = try await create(harness).id
        try await harness.settle()
        #expect(try await instrument(harness).waitingUses == [id.uuid: .payment])
        let operation = CallbackOperation(id: 1, type: "sale", status: "success", minor: 1999)
        try await harness.deliver(id, operation, status: "success")
        try await harness.settle()
        #expect(try await harness.payment(id).status == .captured)
        #expect(try await instrument(harness).waitingUses.isEmpty)
        try await command(harness, .remove(reason: nil))
        try await harness.settle()
        #expect(try await harness.payment(id).cancelRequestedBy == nil)
    }

    private func address(_ harness: EngineHarness, _ id: PaymentId) async throws -> String? {
        guard case .redirect(let url) = try await harness.engine.handovers.render(harness.stream(id)) else {
            return nil
        }
        return url
    }

    private func instrument(_ harness: EngineHarness) async throws -> Instrument {
        let stream = StreamName(harness.merchant, .instrument, id.uuid)
        let history = try await harness.store.load([(stream, 0)])[0]
        return Instrument.fold(id, try history.map { try InstrumentEvent($0) })
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
