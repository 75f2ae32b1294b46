import Crypto
import Decisions
import Ecommpay
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing

/// Routing by the whole engine: a provider that is down is passed over and comes back, and a refusal goes on elsewhere.
struct RoutingEngineTests {
    private static let second = Uuid(high: 0xACC0, low: 2)

    /// Two accounts, the second one behind the first.
    private func harness(faults: @escaping @Sendable (StoreCall) -> StoreFault? = { _ in nil }) async throws
        -> EngineHarness
    {
        let harness = try await EngineHarness(faults: faults)
        let configuration = AccountConfiguration(
            name: "ecommpay-second",
            provider: "ecommpay",
            mode: .test,
            settings: ["currencies": ["EUR"], "projectId": 42],
            secrets: harness.vault.seal(
                secrets: ["secretKey": Secret(EngineHarness.secretKey)],
                account: Self.second,
                merchant: harness.merchant
            ),
            currencies: nil
        )
        let stream = StreamName(harness.merchant, .account, Self.second)
        await harness.command(stream, AccountCommand.Name.configure.rawValue, configuration.json, key: "second")
        let rules = RouteRules(
            rules: [
                RouteRule(
                    name: "all",
                    when: RouteCondition(),
                    to: [RouteShare(account: harness.account, weight: 1)],
                    then: [Self.second],
                    fallback: FallbackPolicy(classes: Set(DeclineClass.allCases), attempts: 2)
                )
            ],
            breaker: BreakerPolicy(
                failures: 3,
                percent: 50,
                window: .seconds(60),
                pause: .seconds(30),
                probePercent: 100,
                successes: 2
            )
        )
        let command = RoutingCommand.setRules(rules, seen: nil)
        await harness.command(DerivedNames.routing(harness.merchant), command.name.rawValue, command.json)
        return harness
    }

    private func routing(_ harness: EngineHarness) async throws -> Routing {
        let stream = DerivedNames.routing(harness.merchant)
        return try .fold(stream, try await harness.store.load([(stream, 0)])[0])
    }

    /// A payment that names no account, routed as the API does it.
    private func create(_ harness: EngineHarness, _ key: String) async throws -> PaymentId {
        let input = CommandIntake.inputId(harness.merchant, key: key)
        let id = DerivedNames.payment(createdBy: input)
        let euro = try #require(Currency("EUR"))
        let terms = PaymentTerms(
            mode: .sale,
            method: .hosted,
            amount: Money(1999, euro),
            reference: key,
            description: nil,
            customer: "cust-7",
            instrument: nil,
            expiresAt: harness.clock.now.adding(.seconds(3600)),
            details: ["payer": ["email": "payer@example.org"]],
            metadata: [:]
        )
        let question = RouteQuestion(payment: id, mode: .sale, method: .hosted, amount: terms.amount)
        var known: [Uuid: RouteAccount] = [:]
        let adapters = AdapterRegistry([EcommpayAdapter()])
        for account in [harness.account, Self.second] {
            let found = try #require(try await harness.engine.book.newest(account, harness.merchant))
            known[account] = adapters.routed(found.facts, isOpen: found.isOpen, currencies: found.currencies)
        }
        let decision = try await routing(harness).route(question, among: known, at: harness.clock.now)
        let record = InputRecord(
            id: input,
            stream: harness.stream(id),
            kind: .command,
            name: PaymentCommand.Name.create.rawValue,
            meta: InputMeta.command(
                actor: Actor(id: "backend", isOperator: false),
                account: decision.chosen?.id,
                traceparent: nil,
                correlation: nil,
                route: RouteReference(decision)
            ),
            body: terms.json.canonical,
            receivedAt: harness.clock.now
        )
        let outcome = await harness.engine.decisions.decide([Work(input: record, fence: nil)])[0]
        guard case .decided(_, .events) = outcome else { throw HarnessFailure(what: "create: \(outcome)") }
        return id
    }

    /// Asks the provider how a payment stands, and lets the engine work until it rests.
    private func ask(_ harness: EngineHarness, _ id: PaymentId, _ key: String) async throws {
        harness.clock.advance(by: .seconds(6))
        await harness.command(harness.stream(id), "payment.sync", [:], key: key)
        try await harness.settle()
    }

    private func notify(
        _ harness: EngineHarness,
        _ id: PaymentId,
        _ account: Uuid,
        _ operation: CallbackOperation,
        _ status: String
    ) async throws {
        let payment = try await harness.payment(id)
        let number = payment.attemptNumber(at: account)
        let reference = try #require(payment.attempt(number)?.reference)
        let body = operation.body(reference: reference, status: status, key: EngineHarness.secretKey)
        let input = InputRecord(
            id: .version5(namespace: account, name: Hex.encode(Digest.sha256(body))),
            stream: harness.stream(id),
            kind: .notification,
            name: "ecommpay.notification",
            meta: (["account": account.json, "trust": "verified"] as Json).canonical,
            body: body,
            receivedAt: harness.clock.now
        )
        _ = try await harness.store.admit([input])
        try await harness.settle()
    }

    @Test func `an account whose provider is down is passed over, tried again and trusted again`() async throws {
        let harness = try await harness()
        harness.wire.play { _ in .notSent(.unreachable) }
        let first = try await create(harness, "k0")
        #expect(try await harness.payment(first).account?.id == harness.account)
        for number in 1...3 { try await ask(harness, first, "sync\(number)") }
        guard case .open? = try await routing(harness).breakers[harness.account]?.phase else {
            Issue.record("the breaker is closed: \(try await routing(harness).breakers)")
            return
        }
        let passed = try await create(harness, "k1")
        #expect(try await harness.payment(passed).account?.id == Self.second)

        // The pause is over: the next payment probes, and answers close the breaker.
        harness.clock.advance(by: .seconds(60))
        harness.wire.play { _ in .answered(.json(404, ["code": 3061, "message": "not found"])) }
        let probe = try await create(harness, "k2")
        #expect(try await harness.payment(probe).account?.id == harness.account)
        for number in 4...6 { try await ask(harness, probe, "sync\(number)") }
        #expect(try await routing(harness).breakers[harness.account]?.phase == .closed)
        let history = try await harness.store.load([(DerivedNames.routing(harness.merchant), 0)])[0]
        let names: [RoutingEvent.Name] = [.rulesSet, .breakerOpened, .breakerHalfOpened, .breakerClosed]
        #expect(history.map(\.type) == names.map(\.rawValue))
        let report = try await harness.engine.replay.verify()
        #expect(report.isClean, "\(report.differences)")
    }

    @Test func `what providers' health asks for is reported together, and nobody's decision waits for it`() async throws
    {
        let admitted = Locked(0)
        let harness = try await harness { call in
            if call == .admit { admitted.withLock { $0 += 1 } }
            return nil
        }
        let watch = harness.engine.health
        for account in [harness.account, Self.second] {
            for _ in 0..<3 { watch.note(.down("unreachable"), of: account, harness.merchant) }
        }
        #expect(try await watch.runOnce() == 2)
        #expect(admitted.withLock { $0 } == 1)
        try await harness.settle()
        let breakers = try await routing(harness).breakers
        #expect([harness.account, Self.second].allSatisfy { breakers[$0].map { $0.phase != .closed } ?? false })
        #expect(try await watch.runOnce() == 0)
    }

    /// Admissions that fail one after the other, each by its own code.
    private final class Failing: Sendable {
        private let codes = Locked<[StoreFailure.Code]>([])

        func next(_ more: [StoreFailure.Code]) { codes.withLock { $0 = more } }

        func fault(_ call: StoreCall) -> StoreFault? {
            guard call == .admit else { return nil }
            return codes.withLock { $0.isEmpty ? nil : .before(StoreFailure($0.removeFirst(), detail: "asked for")) }
        }
    }

    private func isOpen(_ account: Uuid, _ harness: EngineHarness) async throws -> Bool {
        if case .open? = try await routing(harness).breakers[account]?.phase { return true }
        return false
    }

    @Test func `what a provider's health asks for is reported when the store is there again`() async throws {
        let failing = Failing()
        let harness = try await harness { failing.fault($0) }
        let watch = harness.engine.health
        for _ in 0..<3 { watch.note(.down("unreachable"), of: harness.account, harness.merchant) }
        failing.next([.unavailable])
        await #expect(throws: StoreFailure.self) { try await watch.runOnce() }
        #expect(watch.hasPending)
        try await harness.settle()
        #expect(try await isOpen(harness.account, harness))
        // What is older than the window says nothing any more.
        for _ in 0..<3 { watch.note(.down("unreachable"), of: Self.second, harness.merchant) }
        failing.next([.unavailable])
        await #expect(throws: StoreFailure.self) { try await watch.runOnce() }
        harness.clock.advance(by: .seconds(120))
        try await harness.settle()
        #expect(try await !isOpen(Self.second, harness) && !watch.hasPending)
    }

    @Test func `a report that the store refuses keeps no other one back, and each sign is judged in its turn`()
        async throws
    {
        let failing = Failing()
        let harness = try await harness { failing.fault($0) }
        let watch = harness.engine.health
        for account in [harness.account, Self.second] {
            for signal in [
                HealthSignal.down("unreachable"), .down("unreachable"), .down("unreachable"), .up, .up, .up, .up,
            ] {
                watch.note(signal, of: account, harness.merchant)
            }
        }
        failing.next([.corrupt, .corrupt])
        #expect(try await watch.runOnce() == 2)
        try await harness.settle()
        #expect(try await !isOpen(harness.account, harness))
        #expect(try await isOpen(Self.second, harness))
    }

    @Test func `what a merchant's messages show is kept up to a bound, and again once it was counted`() async throws {
        let harness = try await harness()
        let watch = harness.engine.health
        for _ in 0..<1000 { watch.note(.up, of: harness.account, harness.merchant) }
        for _ in 0..<2 {
            for _ in 0..<3 { watch.note(.down("unreachable"), of: Self.second, harness.merchant) }
            #expect(try await !isOpen(Self.second, harness))
            _ = try await watch.runOnce()
            try await harness.settle()
        }
        #expect(try await isOpen(Self.second, harness))
    }

    @Test func `a refusal that closed the page goes on at the next account and is paid there`() async throws {
        let harness = try await harness()
        let id = try await create(harness, "k0")
        let refused = CallbackOperation(id: 1, type: "sale", status: "decline", minor: 1999)
        try await notify(harness, id, harness.account, refused, "decline")
        let second = try await harness.payment(id)
        #expect(second.account?.id == Self.second && second.status == .requiresAction)
        #expect(second.handovers.map(\.account) == [Self.second])
        let page = try await harness.engine.handovers.render(harness.stream(id))
        guard case .redirect(let url) = page else {
            Issue.record("no page")
            return
        }
        #expect(url.contains(try #require(second.attempt?.reference)))

        let paid = CallbackOperation(id: 1, type: "sale", status: "success", minor: 1999)
        try await notify(harness, id, Self.second, paid, "success")
        let done = try await harness.payment(id)
        #expect(done.status == .captured && done.amounts.captured == 1999 && done.contradictions.isEmpty)
        let reference = try #require(done.attempt?.reference)
        let name = Reference(account: Self.second, kind: "payment", value: reference)
        #expect(try await harness.store.resolve(name, merchant: harness.merchant) == harness.stream(id))
        let report = try await harness.engine.replay.verify()
        #expect(report.isClean, "\(report.differences)")
    }

    @Test func `money for the earlier attempt is sent back by its own account`() async throws {
        let harness = try await harness()
        let id = try await create(harness, "k0")
        let refused = CallbackOperation(id: 1, type: "sale", status: "decline", minor: 1999)
        try await notify(harness, id, harness.account, refused, "decline")
        let earlier = try #require(try await harness.payment(id).pastAttempts.first?.attempt.reference)
        let late = CallbackOperation(id: 2, type: "sale", status: "success", minor: 1999)
        try await notify(harness, id, harness.account, late, "success")
        let refund = try #require(harness.wire.sent.last { $0.url.hasSuffix("/refund") })
        #expect(String(decoding: refund.body, as: UTF8.self).contains(earlier))
        let payment = try await harness.payment(id)
        #expect(payment.lateSuccesses.count == 1 && payment.standing.captured == 0)
        let report = try await harness.engine.replay.verify()
        #expect(report.isClean, "\(report.differences)")
    }
}
