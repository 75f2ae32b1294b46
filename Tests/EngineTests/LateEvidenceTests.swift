import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Telemetry
import TestKit
import Testing

/// Evidence that comes late or that nobody asked for, through the whole engine: it is booked, owed to somebody, and told.
struct LateEvidenceTests {
    private func alarms(_ harness: EngineHarness, _ what: String) -> Int {
        let line = harness.metrics.exposition().split(separator: "\n").first {
            $0.hasPrefix("paystream_money_alarms_total{") && $0.contains("what=\"\(what)\"")
        }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
    }

    private func owed(_ payment: Payment) -> Set<Obligation.Kind> { Set(payment.obligations.map(\.kind)) }

    private func paid(_ harness: EngineHarness, _ key: String, minor: Int64 = 1000) async throws -> PaymentId {
        let id = try await harness.create(.sale, minor: minor, key: key)
        try await harness.deliver(
            id,
            CallbackOperation(id: 1, type: "sale", status: "success", minor: minor),
            status: "success"
        )
        return id
    }

    @Test func `paid after declined is booked, owed to the merchant and told`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.create(.sale, minor: 1000, key: "declined")
        try await harness.deliver(
            id,
            CallbackOperation(id: 1, type: "sale", status: "decline", minor: 1000),
            status: "decline"
        )
        #expect(try await harness.payment(id).status == .failed)
        #expect(alarms(harness, "late_success") == 0)
        try await harness.deliver(
            id,
            CallbackOperation(id: 2, type: "sale", status: "success", minor: 1000),
            status: "success"
        )
        let payment = try await harness.payment(id)
        #expect(payment.amounts.captured == 1000)
        #expect(owed(payment).contains(.lateSuccess))
        #expect(alarms(harness, "late_success") == 1)
        #expect(try await harness.engine.replay.verify().isClean)
    }

    @Test func `what a decision tells is told once, also where the answer to its commit was lost`() async throws {
        let isLost = Locked(false)
        let harness = try await EngineHarness { call in
            guard call == .commit, isLost.withLock({ $0 }) else { return nil }
            isLost.withLock { $0 = false }
            return .after(StoreFailure(.unknown, detail: "the connection broke"))
        }
        let id = try await harness.create(.sale, minor: 1000, key: "lost")
        let declined = CallbackOperation(id: 1, type: "sale", status: "decline", minor: 1000)
        try await harness.deliver(id, declined, status: "decline")
        let paid = CallbackOperation(id: 2, type: "sale", status: "success", minor: 1000)
        let input = try await harness.callback(id, paid, status: "success")
        isLost.withLock { $0 = true }
        let outcome = await harness.engine.decisions.decide([Work(input: input, fence: nil)])[0]
        guard case .duplicate = outcome else { throw HarnessFailure(what: "\(outcome)") }
        #expect(alarms(harness, "late_success") == 1)
        // Who repeats it is told that it is known, and nobody is told once more.
        _ = await harness.engine.decisions.decide([Work(input: input, fence: nil)])
        #expect(alarms(harness, "late_success") == 1)
    }

    @Test func `a link that is paid after its payment was cancelled is refunded by itself, once, and told`()
        async throws
    {
        let harness = try await EngineHarness()
        let id = try await harness.create(.sale, minor: 1000, key: "cancelled")
        let reference = try #require(try await harness.payment(id).attempt?.reference)
        await harness.command(harness.stream(id), "payment.void", [:])
        harness.wire.play { request in
            request.url.hasSuffix("/refund")
                ? CallbackOperation.accepted(reference) : .sentNoAnswer(NoAnswer(.deadline))
        }
        for _ in 1...2 {
            try await harness.deliver(
                id,
                CallbackOperation(id: 1, type: "sale", status: "success", minor: 1000),
                status: "success"
            )
        }
        #expect(harness.wire.sent.count { $0.url.hasSuffix("/refund") } == 1)
        let refund = try #require(try await harness.payment(id).operations.last)
        try await harness.deliver(
            id,
            CallbackOperation(id: 2, type: "refund", status: "success", minor: 1000, refund: refund.reference),
            status: "refunded"
        )
        let payment = try await harness.payment(id)
        #expect(payment.amounts.refunded == 1000)
        #expect(payment.status == .refunded)
        #expect(!owed(payment).contains(.lateSuccess))
        #expect(alarms(harness, "late_success") == 1)
        #expect(alarms(harness, "given_back") == 1)
        #expect(try await harness.engine.replay.verify().isClean)
    }

    @Test func `captured and refunded in a dashboard is adopted and booked`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.authorized("dashboard")
        try await harness.deliver(
            id,
            CallbackOperation(id: 2, type: "capture", status: "success", minor: 1000),
            status: "success"
        )
        try await harness.deliver(
            id,
            CallbackOperation(id: 3, type: "refund", status: "success", minor: 400),
            status: "partially refunded"
        )
        let payment = try await harness.payment(id)
        #expect(payment.amounts.captured == 1000)
        #expect(payment.amounts.refunded == 400)
        #expect(payment.operations.map(\.origin) == [.commanded, .provider, .provider])
        #expect(harness.wire.sent.isEmpty)
        #expect(!payment.isFrozen)
    }

    @Test func `refund and chargeback of the same money are both booked, and the excess is a person's and told`()
        async throws
    {
        let harness = try await EngineHarness()
        let id = try await paid(harness, "both")
        try await harness.deliver(
            id,
            CallbackOperation(id: 2, type: "refund", status: "success", minor: 1000),
            status: "refunded"
        )
        let dispute: Json = [
            "amount": ["currency": "EUR", "value": 1000], "id": DisputeId(Uuid(high: 1, low: 2)).json,
            "stage": "opened",
        ]
        await harness.command(harness.stream(id), "payment.dispute", dispute)
        let payment = try await harness.payment(id)
        #expect(payment.overReturned == 1000)
        #expect(payment.obligations.contains { $0.kind == .overReturned && $0.owner == .operator })
        #expect(alarms(harness, "over_returned") == 1)
    }

    /// A licensed capture, and the attempt's reference.
    private func licensedCapture(_ harness: EngineHarness, _ key: String) async throws -> (PaymentId, String) {
        let id = try await harness.authorized(key)
        await harness.command(harness.stream(id), "payment.capture", [:])
        _ = try await harness.engine.mail.run()
        return (id, try #require(try await harness.payment(id).attempt?.reference))
    }

    private func firstDispatch(_ harness: EngineHarness, _ id: PaymentId) async throws -> Dispatch {
        try #require(try await harness.payment(id).operations.last?.dispatches.first)
    }

    @Test func `an answer that comes to a process whose lease is gone is admitted and counts`() async throws {
        let harness = try await EngineHarness()
        let (id, reference) = try await licensedCapture(harness, "fence")
        let ready = try #require(try await harness.engine.sender.prepare().first)
        // The node stands still until another one has given its message up.
        harness.clock.advance(by: .seconds(60))
        try await harness.settle(at: harness.neighbour())
        #expect(try await firstDispatch(harness, id).outcome == .unknown(reason: "sender vanished"))
        harness.wire.play { _ in CallbackOperation.accepted(reference) }
        await harness.engine.sender.send(ready)
        try await harness.settle()
        #expect(try await firstDispatch(harness, id).outcome == .accepted)
    }

    @Test func `what a process says that has lost its claim ends nothing that another process sends`() async throws {
        let harness = try await EngineHarness()
        let (id, reference) = try await licensedCapture(harness, "word")
        let lost = try #require(try await harness.store.claimEffects(owner: "slow", lease: .seconds(15)).first)
        harness.clock.advance(by: .seconds(20))
        let neighbour = harness.neighbour()
        _ = try await neighbour.scheduler.runOnce()
        let ready = try #require(try await neighbour.sender.prepare().first)
        // The message is on the wire, and now the slow one says that it could not sign it.
        try await harness.engine.answers.notSent(lost, reason: "unsigned")
        _ = try await harness.engine.mail.run()
        #expect(try await firstDispatch(harness, id).isInFlight)
        harness.wire.play { _ in CallbackOperation.accepted(reference) }
        await neighbour.sender.send(ready)
        try await harness.settle()
        #expect(try await firstDispatch(harness, id).outcome == .accepted)
        #expect(harness.wire.sent.filter { $0.url.hasSuffix("/capture") }.count == 1)
        #expect(try await harness.engine.replay.verify().isClean)
    }

    @Test(arguments: [true, false])
    func `a message that can't be signed now goes out under the same licence when it can`(
        _ isStoreAway: Bool
    ) async throws {
        let isAway = Locked(false)
        // Between two looks at the clock the account that was read becomes too old to be trusted.
        let looks = Locked(ContinuousClock.now)
        let time = EngineTime(
            now: {
                looks.withLock { now in
                    now += .seconds(2)
                    return now
                }
            },
            sleep: { _ in }
        )
        let loads = Locked(0)
        let harness = try await EngineHarness(
            time: time,
            faults: { call in
                guard call == .load, isAway.withLock({ $0 }) else { return nil }
                // The first look finds the account's rate; signing it does not find the account again.
                let number = loads.withLock { count in
                    count += 1
                    return count
                }
                return number == 1 ? nil : .before(StoreFailure(.unavailable, detail: "away"))
            }
        )
        let (id, reference) = try await licensedCapture(harness, "hiccup")
        harness.wire.play { _ in CallbackOperation.accepted(reference) }
        if isStoreAway { isAway.withLock { $0 = true } } else { harness.keys.isAway.withLock { $0 = true } }
        #expect(try await harness.engine.sender.prepare().isEmpty)
        #expect(try await harness.engine.mail.run() == 0)
        isAway.withLock { $0 = false }
        harness.keys.isAway.withLock { $0 = false }
        #expect(try await firstDispatch(harness, id).isInFlight)
        try await harness.settle()
        #expect(try await firstDispatch(harness, id).outcome == .accepted)
        #expect(try await harness.payment(id).operations.last?.dispatches.count == 1)
    }
}
