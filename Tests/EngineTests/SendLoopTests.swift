import Engine
import EventSourcing
import Http
import Kernel
import Payments
import TestKit
import Testing

/// How often a running node claims, counted where its store is asked.
///
/// Counts are held against the time that passed, so that a slow machine fails none of them.
@Suite(.timeLimit(.minutes(1)))
struct SendLoopTests {
    private final class Counts: Sendable {
        private let calls = Locked<[StoreCall: Int]>([:])

        func add(_ call: StoreCall) { calls.withLock { $0[call, default: 0] += 1 } }

        subscript(_ call: StoreCall) -> Int { calls.withLock { $0[call] ?? 0 } }
    }

    /// What the store was asked, and the claims that looking each `rest` comes to in the time that passed.
    private struct Passed {
        let calls: Counts
        let looks: Int
    }

    /// Runs the node's loops during `body`, and says what it asked of the store meanwhile.
    private func run(_ harness: EngineHarness, _ calls: Counts, _ body: () async throws -> Void) async throws -> Passed
    {
        let before = calls[.claimEffects]
        #expect(before == 0, "count what the loop claims alone")
        let began = ContinuousClock.now
        let running = Task { await harness.engine.run() }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        harness.engine.drain()
        await running.value
        try result.get()
        return Passed(calls: calls, looks: Int((ContinuousClock.now - began) / EffectSender.rest))
    }

    /// A harness that counts from `isCounting` on.
    private func harness(
        _ calls: Counts,
        _ isCounting: Locked<Bool>,
        fault: @escaping @Sendable (StoreCall) -> StoreFault? = { _ in nil }
    ) async throws -> EngineHarness {
        try await EngineHarness(faults: { call in
            guard isCounting.withLock({ $0 }) else { return nil }
            calls.add(call)
            return fault(call)
        })
    }

    private func wait(until isSo: () async throws -> Bool) async throws {
        for _ in 0..<4000 {
            if try await isSo() { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("it never came to that")
    }

    private func accept(_ harness: EngineHarness, _ id: PaymentId) async throws {
        let reference = try #require(try await harness.payment(id).attempt?.reference)
        harness.wire.play { _ in CallbackOperation.accepted(reference) }
    }

    private func captures(_ harness: EngineHarness) -> Int { harness.wire.sent.count { $0.url.hasSuffix("/capture") } }

    @Test func `a node that has nothing to send looks each rest, and no oftener`() async throws {
        let (calls, isCounting) = (Counts(), Locked(false))
        let harness = try await harness(calls, isCounting)
        isCounting.withLock { $0 = true }
        let passed = try await run(harness, calls) { try await wait { calls[.claimEffects] >= 4 } }
        #expect(passed.calls[.claimEffects] <= passed.looks + 1)
        #expect(passed.calls[.markSending] == 0)
    }

    @Test func `a node that licenses one message after the other sends them all and claims no oftener`() async throws {
        let (calls, isCounting) = (Counts(), Locked(false))
        let harness = try await harness(calls, isCounting)
        var ids: [PaymentId] = []
        for number in 0..<60 { ids.append(try await harness.authorized("steady \(number)")) }
        _ = harness.engine.notifier.takeOutgoing()
        isCounting.withLock { $0 = true }
        let passed = try await run(harness, calls) {
            try await wait { calls[.claimEffects] >= 1 }
            for (number, id) in ids.enumerated() {
                try await accept(harness, id)
                await harness.command(harness.stream(id), "payment.capture", [:], key: "capture \(number)")
                try await wait { captures(harness) > number }
            }
        }
        #expect(captures(harness) == ids.count)
        #expect(passed.calls[.markSending] >= ids.count)
        #expect(passed.calls[.claimEffects] <= passed.looks + 1)
    }

    @Test func `a mark that is not taken is followed by a claim, long before the next look`() async throws {
        let (calls, isCounting) = (Counts(), Locked(false))
        let harness = try await harness(calls, isCounting)
        let id = try await harness.authorized("stale")
        _ = harness.engine.notifier.takeOutgoing()
        await harness.command(harness.stream(id), "payment.capture", [:])
        let stale = harness.engine.notifier.takeOutgoing().licensed
        #expect(stale.count == 1)
        #expect(try await harness.neighbour().sender.prepare().count == 1)
        isCounting.withLock { $0 = true }
        var quickest = Duration.seconds(60)
        _ = try await run(harness, calls) {
            try await wait { calls[.claimEffects] >= 1 }
            for _ in 0..<12 {
                let (claims, began) = (calls[.claimEffects], ContinuousClock.now)
                harness.engine.notifier.committed(harness.stream(id), version: 1, position: 1, ready: stale)
                try await wait { calls[.claimEffects] > claims }
                // The first one may come just before a look.
                if calls[.markSending] > 1 { quickest = min(quickest, .now - began) }
            }
        }
        #expect(calls[.markSending] == 12)
        #expect(captures(harness) == 0)
        #expect(quickest < EffectSender.rest / 2)
    }

    @Test func `what is licensed behind a message whose mark failed waits until that one is claimed`() async throws {
        let (calls, isCounting, claimsBefore) = (Counts(), Locked(false), Locked(0))
        let harness = try await harness(calls, isCounting) { call in
            guard call == .markSending, calls[call] == 1 else { return nil }
            claimsBefore.withLock { $0 = calls[.claimEffects] }
            return .before(StoreFailure(.unavailable, detail: "away"))
        }
        let ids = [try await harness.authorized("older"), try await harness.authorized("newer")]
        let claimsBehind = Locked<Int?>(nil)
        harness.wire.play { _ in
            claimsBehind.withLock { $0 = $0 ?? calls[.claimEffects] }
            return .sentNoAnswer(NoAnswer(.deadline))
        }
        _ = harness.engine.notifier.takeOutgoing()
        isCounting.withLock { $0 = true }
        _ = try await run(harness, calls) {
            try await wait { calls[.claimEffects] >= 1 }
            await harness.command(harness.stream(ids[0]), "payment.capture", [:], key: "older capture")
            try await wait { calls[.markSending] >= 1 }
            await harness.command(harness.stream(ids[1]), "payment.capture", [:], key: "newer capture")
            try await wait { captures(harness) == 2 }
        }
        #expect(try #require(claimsBehind.withLock { $0 }) > claimsBefore.withLock { $0 })
    }

    @Test func `messages whose mark failed are claimed and sent when the store is there again`() async throws {
        let (calls, isCounting) = (Counts(), Locked(false))
        let harness = try await harness(calls, isCounting) { call in
            guard call == .markSending, calls[call] <= 2 else { return nil }
            return .before(StoreFailure(.unavailable, detail: "away"))
        }
        let id = try await harness.authorized("failed")
        try await accept(harness, id)
        _ = harness.engine.notifier.takeOutgoing()
        isCounting.withLock { $0 = true }
        _ = try await run(harness, calls) {
            try await wait { calls[.claimEffects] >= 1 }
            await harness.command(harness.stream(id), "payment.capture", [:])
            try await wait { calls[.markSending] >= 2 }
            // A claim whose mark failed keeps its lease.
            harness.clock.advance(by: EffectSender.lease + .seconds(1))
            try await wait { captures(harness) == 1 }
            try await wait { try await harness.payment(id).operations.last?.dispatches.first?.outcome == .accepted }
        }
        #expect(captures(harness) == 1)
    }
}
