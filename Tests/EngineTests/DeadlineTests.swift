import Ecommpay
import Engine
import EventSourcing
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing

/// A lease, a mark's margin and a provider's deadline follow each other: nobody takes a message for lost that is answered.
struct DeadlineTests {
    @Test func `a message that is on the wire to the end of its deadline is nobody's to take over`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.authorized("lease")
        let neighbour = harness.neighbour()
        await harness.command(harness.stream(id), "payment.capture", [:])
        _ = try await harness.engine.mail.run()
        let ready = try #require(try await harness.engine.sender.prepare().first)
        let deadline = EcommpayAdapter().declaration.requestDeadline
        #expect(deadline > EffectSender.lease)
        // The first byte leaves when the margin is nearly over, and the answer comes when the deadline is.
        let reference = try #require(try await harness.payment(id).attempt?.reference)
        let whole = EffectSender.margin + deadline
        let step = Duration.milliseconds(500)
        var passed = Duration.zero
        while passed + step < whole + Scheduler.grace {
            harness.clock.advance(by: step)
            passed += step
            #expect(try await neighbour.scheduler.runOnce() == 0, "after \(passed)")
            #expect(try await neighbour.sender.prepare().isEmpty)
        }
        harness.wire.play { _ in CallbackOperation.accepted(reference) }
        await harness.engine.sender.send(ready)
        try await harness.settle()
        let dispatches = try #require(try await harness.payment(id).operations.last).dispatches
        #expect(dispatches.map(\.outcome) == [.accepted])
    }

    @Test func `a sender that vanished is missed after its margin, its deadline and a grace, and no sooner`()
        async throws
    {
        let harness = try await EngineHarness()
        let id = try await harness.authorized("lease")
        await harness.command(harness.stream(id), "payment.capture", [:])
        _ = try await harness.engine.mail.run()
        #expect(try await harness.engine.sender.prepare().count == 1)
        harness.clock.advance(by: EffectSender.margin + EcommpayAdapter().declaration.requestDeadline + Scheduler.grace)
        #expect(try await harness.neighbour().scheduler.runOnce() == 0)
        harness.clock.advance(by: .microseconds(1))
        #expect(try await harness.neighbour().scheduler.runOnce() == 1)
        try await harness.settle()
        let dispatch = try #require(try await harness.payment(id).operations.last?.dispatches.first)
        #expect(dispatch.outcome == .unknown(reason: "sender vanished"))
    }
}
