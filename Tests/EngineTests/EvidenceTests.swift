import Engine
import EventSourcing
import Glibc
import Http
import Kernel
import Payments
import TestKit
import Testing

/// What is said of a payment is written with its decision, and kept raw where that can't be.
struct EvidenceTests {
    private static let authorized = CallbackOperation(id: 1, type: "auth", status: "success", minor: 1000)

    /// A payment whose capture is marked and about to leave; the wire answers that it is captured.
    private func capturing(_ faults: @escaping @Sendable (StoreCall) -> StoreFault? = { _ in nil }) async throws
        -> (EngineHarness, PaymentId, EffectSender.Ready)
    {
        let harness = try await EngineHarness(faults: faults)
        let id = try await harness.authorized("evidence")
        let reference = try #require(try await harness.payment(id).attempt?.reference)
        harness.wire.play { _ in
            CallbackOperation.statusAnswer(
                [Self.authorized, CallbackOperation(id: 2, type: "capture", status: "success", minor: 1000)],
                reference: reference,
                status: "success"
            )
        }
        await harness.command(harness.stream(id), "payment.capture", [:])
        let ready = try await harness.engine.sender.prepare()
        #expect(ready.count == 1)
        return (harness, id, ready[0])
    }

    /// The decisions about answers in the log.
    private func answers(_ harness: EngineHarness) async throws -> Int {
        var count = 0
        for decision in try await harness.store.decisions(after: 0, limit: 1000).rows {
            let input = try await harness.store.input(decision.input, merchant: decision.stream.merchant)
            if input?.kind == .answer { count += 1 }
        }
        return count
    }

    @Test func `an answer is written with its decision and passes no mailbox`() async throws {
        let calls = Locked<[StoreCall]>([])
        let (harness, id, ready) = try await capturing { call in
            calls.withLock { $0.append(call) }
            return nil
        }
        calls.withLock { $0 = [] }
        await harness.engine.sender.send(ready)
        #expect(try await answers(harness) == 1)
        #expect(calls.withLock { $0.filter { [.commit, .observe, .admit].contains($0) } } == [.commit])
        #expect(try await harness.store.claimMail(owner: "nobody", lease: .zero).isEmpty)
        #expect(try await harness.store.lostEffects(grace: .seconds(-3600), limit: 10).isEmpty)
        try await harness.settle()
        #expect(try await harness.payment(id).status == .captured)
        let report = try await harness.engine.replay.verify()
        #expect(report.isClean, "\(report.differences)")
    }

    @Test func `an answer to a busy stream waits behind what its mailbox holds`() async throws {
        let (harness, id, ready) = try await capturing()
        _ = try await harness.store.admit([harness.callback(id, Self.authorized, status: "awaiting capture again")])
        await harness.engine.sender.send(ready)
        #expect(try await answers(harness) == 0)
        let mail = try await harness.store.claimMail(owner: "reader", lease: .zero)
        #expect(try await harness.store.undecided(mail, limit: 10)[0].map(\.kind) == [.notification, .answer])
        #expect(try await harness.store.lostEffects(grace: .seconds(-3600), limit: 10).isEmpty)
        try await harness.settle()
        #expect(try await harness.payment(id).status == .captured)
    }

    @Test(arguments: [StoreFailure.Code.corrupt, .timeout, .retry, .moved])
    func `an answer whose decision finds no way into the store is kept raw`(_ code: StoreFailure.Code) async throws {
        let isBroken = Locked(false)
        let (harness, id, ready) = try await capturing { call in
            guard call == .commit, isBroken.withLock({ $0 }) else { return nil }
            return .before(StoreFailure(code, detail: "broken"))
        }
        isBroken.withLock { $0 = true }
        await harness.engine.sender.send(ready)
        isBroken.withLock { $0 = false }
        #expect(try await answers(harness) == 0)
        #expect(try await harness.store.lostEffects(grace: .seconds(-3600), limit: 10).isEmpty)
        try await harness.settle()
        #expect(try await harness.payment(id).status == .captured)
    }

    @Test func `an answer whose commit broke off is one input and one decision`() async throws {
        let isBroken = Locked(false)
        let (harness, id, ready) = try await capturing { call in
            guard call == .commit, isBroken.withLock({ $0 }) else { return nil }
            isBroken.withLock { $0 = false }
            return .after(StoreFailure(.unknown, detail: "the connection broke"))
        }
        isBroken.withLock { $0 = true }
        await harness.engine.sender.send(ready)
        #expect(try await answers(harness) == 1)
        #expect(try await harness.store.claimMail(owner: "nobody", lease: .zero).isEmpty)
        try await harness.settle()
        #expect(try await harness.payment(id).status == .captured)
    }

    @Test(arguments: [StoreFailure.Code.corrupt, .timeout])
    func `an input that the store can't take takes no state from its neighbours`(_ code: StoreFailure.Code) async throws
    {
        let isBroken = Locked(false)
        let harness = try await EngineHarness { call in
            guard call == .commit, isBroken.withLock({ $0 }) else { return nil }
            return .before(StoreFailure(code, detail: "broken"))
        }
        let id = try await harness.create(.authorize, minor: 1000, key: "sound")
        let other = try await harness.create(.authorize, minor: 1000, key: "broken")
        _ = try await harness.engine.streamCache.known([harness.stream(id)])
        let input = try await harness.callback(other, Self.authorized, status: "awaiting capture")
        isBroken.withLock { $0 = true }
        let outcome = await harness.engine.decisions.decide([Work(input: input, fence: nil)])[0]
        guard case .unavailable = outcome else { throw HarnessFailure(what: "\(outcome)") }
        let before = harness.store.eventsLoaded
        #expect(try await harness.engine.streamCache.known([harness.stream(id)])[0].version > 0)
        #expect(harness.store.eventsLoaded == before)
    }

    @Test func `whether any of a stranger's thousand bills is ours is asked once`() async throws {
        let asked = Locked(0)
        let harness = try await EngineHarness { call in
            if call == .resolve { asked.withLock { $0 += 1 } }
            return nil
        }
        let account = Uuid(high: 0xACC0, low: 9)
        let configuration = AccountConfiguration(
            name: "portmone-uah",
            provider: "portmone",
            mode: .test,
            settings: ["currencies": ["UAH"], "login": "SHOP", "payeeId": "1185"],
            secrets: harness.vault.seal(
                secrets: ["password": Secret("shop-password")],
                account: account,
                merchant: harness.merchant
            ),
            currencies: nil
        )
        let name = AccountCommand.Name.configure.rawValue
        await harness.command(StreamName(harness.merchant, .account, account), name, configuration.json, key: "second")
        let bills = (0..<1000).map { number -> Json in
            ["billAmount": "100.00", "payeeId": "1185", "shopOrderNumber": .string("no-\(number)")]
        }
        func send() async -> (status: Int, asked: Int) {
            let before = asked.withLock { $0 }
            var request = HttpRequest(method: .post, target: "/", body: Json.array(bills).compactBytes)
            request.peerAddress = "203.0.113.7"
            let answer = await harness.engine.notifications.receive(
                request,
                provider: "portmone",
                merchant: harness.merchant,
                account: account
            )
            return (answer.status, asked.withLock { $0 } - before)
        }
        // What came once is kept, each bill for itself; what comes next is not heard.
        #expect(await send() == (200, 1))
        #expect(await send() == (429, 0))
    }

    @Test func `an input that no mailbox takes is kept back alone`() async throws {
        let (entered, calls) = (Locked(0), Locked(0))
        let harness = try await EngineHarness { call in
            guard call == .admit else { return nil }
            switch calls.withLock({
                $0 += 1; return $0
            }) {
            // The others come while this one is written, and are of one batch.
            case 1:
                while entered.withLock({ $0 }) < 4 { usleep(1000) }
                usleep(100_000)
                return nil
            // Together, and then the first of them alone.
            case 2, 3: return .before(StoreFailure(.corrupt, detail: "broken"))
            default: return nil
            }
        }
        let id = try await harness.create(.authorize, minor: 1000, key: "mailbox")
        var inputs: [InputRecord] = []
        for number in 1...4 as ClosedRange<Int64> {
            let operation = CallbackOperation(id: number, type: "auth", status: "success", minor: 1000)
            inputs.append(try await harness.callback(id, operation, status: "awaiting capture"))
        }
        let evidence = EvidenceIntake(
            store: harness.store,
            decisions: Batcher(limit: 64, lanes: 1) { [engine = harness.engine] in await engine.decisions.decide($0) },
            notifier: harness.engine.notifier
        )
        let kept = await withTaskGroup(of: Bool.self) { group in
            group.addTask { [first = inputs[0]] in
                entered.withLock { $0 += 1 }
                return (try? await evidence.keep(first)) != nil
            }
            while calls.withLock({ $0 }) == 0 { await Task.yield() }
            for input in inputs.dropFirst() {
                group.addTask {
                    entered.withLock { $0 += 1 }
                    return (try? await evidence.keep(input)) != nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(kept == 3, "one of four")
        #expect(calls.withLock { $0 } == 5)
    }

    @Test func `of many new inputs of one stream a batch decides a few, and the mailbox the others in their order`()
        async throws
    {
        let harness = try await EngineHarness()
        let id = try await harness.create(.authorize, minor: 1000, key: "flood")
        let other = try await harness.create(.authorize, minor: 1000, key: "neighbour")
        let most = DecisionService.newInputsOfStream
        var inputs: [InputRecord] = []
        for number in 0..<(most + 6) {
            let operation = CallbackOperation(id: Int64(1 + number), type: "auth", status: "success", minor: 1000)
            inputs.append(try await harness.callback(id, operation, status: "awaiting capture"))
        }
        inputs.append(try await harness.callback(other, Self.authorized, status: "awaiting capture"))
        let outcomes = await harness.engine.decisions.decide(inputs.map { Work(input: $0, fence: nil) })
        #expect(outcomes.prefix(most).allSatisfy { if case .decided = $0 { true } else { false } }, "\(outcomes)")
        #expect(outcomes.dropFirst(most).dropLast().allSatisfy { $0 == .busy })
        #expect(try await harness.payment(other).status == .authorized)
        let evidence = EvidenceIntake(
            store: harness.store,
            decisions: Batcher(limit: 64, lanes: 1) { [engine = harness.engine] in await engine.decisions.decide($0) },
            notifier: harness.engine.notifier
        )
        for input in inputs.dropFirst(most).dropLast() { try await evidence.keep(input) }
        try await harness.settle()
        let causes = try await harness.store.decisions(after: 0, limit: 100).rows.map(\.input)
        #expect(causes.filter { cause in inputs.contains { $0.id == cause } }.count == inputs.count)
        #expect(harness.store.quarantined.isEmpty)
    }

    /// Whoever decided on the answer may have ended over it: the next answer stands in the mailbox, where attempts are counted.
    @Test func `after a sender vanished the stream's answers are kept before anybody reads them`() async throws {
        let (harness, id, _) = try await capturing()
        harness.clock.advance(by: .seconds(60))
        #expect(try await harness.engine.scheduler.runOnce() > 0)
        #expect(try await harness.engine.mail.run() == 1)
        let question = try await harness.engine.sender.prepare()
        #expect(question.count == 1)
        await harness.engine.sender.send(question[0])
        let mail = try await harness.store.claimMail(owner: "ends over it", lease: .zero)
        #expect(mail.map(\.stream) == [harness.stream(id)])
        // It is suspect from then on, alone, and counted.
        #expect(try await harness.store.claimMail(owner: "next", lease: .zero).map(\.attempts) == [1])
        try await harness.settle()
        #expect(try await harness.payment(id).status == .captured)
    }
}
