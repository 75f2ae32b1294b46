import Engine
import EventSourcing
import Kernel
import Payments
import TestKit
import Testing

/// What is taken for poison: an input that leads nowhere alone, and none that was only near where something ended.
struct SuspectMailTests {
    private static let others = 40

    @Test func `an input whose holders ended over something else is decided, however often they did`() async throws {
        let (harness, id) = try await waiting { _ in nil }
        for number in 0..<Self.others {
            let leases = try await harness.store.claimMail(owner: "gone-\(number)", lease: .zero)
            #expect(leases.map(\.attempts) == [number == 0 ? 0 : 1])
        }
        #expect(try await harness.engine.mail.run() == 1)
        #expect(harness.store.quarantined.isEmpty)
        #expect(try await harness.payment(id).status == .authorized)
    }

    @Test func `an input whose holders ended while they decided it alone is taken for poison`() async throws {
        let (harness, id) = try await waiting { _ in nil }
        _ = try await harness.store.claimMail(owner: "first", lease: .zero)
        for number in 0..<MailWorker.poisonAttempts {
            let lease = try await harness.store.claimMail(owner: "gone", lease: .zero)[0]
            #expect(lease.attempts == 1 + number)
            let tried = MailLease(stream: lease.stream, fence: lease.fence, attempts: lease.attempts + 1)
            try await harness.store.suspect([tried])
        }
        #expect(try await harness.engine.mail.run() == 1)
        #expect(harness.store.quarantined.map(\.input.stream) == [harness.stream(id)])
    }

    @Test(arguments: [StoreFailure.Code.unavailable, .unknown, .moved])
    func `a store that is away makes no input poison`(_ code: StoreFailure.Code) async throws {
        let isAway = Locked(false)
        let (harness, id) = try await waiting { call in
            guard call == .commit, isAway.withLock({ $0 }) else { return nil }
            return .before(StoreFailure(code, detail: "away"))
        }
        // One that is suspect already stays what it was.
        _ = try await harness.store.claimMail(owner: "gone", lease: .zero)
        isAway.withLock { $0 = true }
        for _ in 0..<Self.others {
            #expect(try await harness.engine.mail.run() == 1)
            harness.clock.advance(by: .seconds(2))
        }
        isAway.withLock { $0 = false }
        #expect(try await harness.engine.mail.run() == 1)
        #expect(harness.store.quarantined.isEmpty)
        #expect(try await harness.payment(id).status == .authorized)
    }

    @Test(arguments: [StoreFailure.Code.corrupt, .timeout, .retry])
    func `an input that the store can't take is poison after so many decisions of it alone`(_ code: StoreFailure.Code)
        async throws
    {
        let isBroken = Locked(false)
        let (harness, id) = try await waiting { call in
            guard call == .commit, isBroken.withLock({ $0 }) else { return nil }
            return .before(StoreFailure(code, detail: "broken"))
        }
        isBroken.withLock { $0 = true }
        // Once in company, then alone.
        for _ in 0...MailWorker.poisonAttempts {
            #expect(harness.store.quarantined.isEmpty)
            #expect(try await harness.engine.mail.run() == 1)
            harness.clock.advance(by: .seconds(2))
        }
        #expect(try await harness.engine.mail.run() == 1)
        #expect(harness.store.quarantined.map(\.input.stream) == [harness.stream(id)])
    }

    /// An engine, and a payment with a message that waits in its mailbox.
    private func waiting(_ faults: @escaping @Sendable (StoreCall) -> StoreFault?) async throws
        -> (EngineHarness, PaymentId)
    {
        let harness = try await EngineHarness(faults: faults)
        let id = try await harness.create(.authorize, minor: 1000, key: "one")
        let operation = CallbackOperation(id: 1, type: "auth", status: "success", minor: 1000)
        _ = try await harness.store.admit([harness.callback(id, operation, status: "awaiting capture")])
        return (harness, id)
    }
}
