import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Schedules
import TestKit
import Testing

/// What other billing systems got wrong about recurring payments, each as a regression in the whole engine.
struct KnownScheduleFailureTests {
    private let scene = ScheduleScene()

    private func succeed(_ harness: EngineHarness, _ ordinal: Int, attempt: Int = 1) async throws {
        let id = try await scene.schedule(harness).payment(ordinal, attempt: attempt)
        let number = Int64(ordinal * 10 + attempt)
        let sale = CallbackOperation(id: number, type: "sale", status: "success", minor: 1999)
        try await harness.deliver(id, sale, status: "success")
    }

    @Test func `killbill 283, a test clock per node: the clock that one node moved is every node's`() async throws {
        let harness = try await scene.harness()
        #expect(harness.store.own(harness.merchant, from: try #require(Timestamp("2030-01-01T00:00:00Z"))))
        try await scene.start(harness, try scene.terms(harness, start: "2030-01-31"))
        #expect(harness.store.send(harness.merchant, to: try #require(Timestamp("2030-02-01T00:00:00Z"))))
        _ = try await harness.engine.travel()
        // A node that starts only now: it would wake up at the real date.
        let late = harness.neighbour()
        _ = try await late.scheduler.runOnce()
        _ = try await late.mail.run()
        let started = try await scene.schedule(harness).tries.values.filter { $0.ordinal == 1 }
        #expect(started.map(\.at) == [try #require(Timestamp("2030-01-31T07:00:00Z"))])
    }

    @Test func `lago 354, the scheduler was down on the billing day: the day is billed when it is back`() async throws {
        let harness = try await scene.started()
        let moment = try #require(Timestamp("2027-02-02T03:00:00Z"))
        harness.clock.advance(by: moment.since(harness.clock.now))
        try await harness.settle()
        harness.clock.advance(by: .seconds(3600))
        try await harness.settle()
        #expect(scene.charges(harness).count == 1)
        try await succeed(harness, 1)
        #expect(try await scene.schedule(harness).paid[1] != nil)
    }

    @Test(arguments: [(CatchUp.Mode.latest, 1), (.all, 3), (.none, 0)])
    func
        `lago-api 5698, catching up billed several periods at once: the schedule's policy says how many, and spreads them`(
            mode: CatchUp.Mode,
            charged: Int
        ) async throws
    {
        let policy = CatchUp(mode: mode, cap: 3, graceSeconds: 3600, spreadSeconds: 600)
        let harness = try await scene.started(catchUp: policy)
        let moment = try #require(Timestamp("2027-06-10T12:00:00Z"))
        harness.clock.advance(by: moment.since(harness.clock.now))
        try await harness.settle()
        var most = 0
        var before = 0
        for _ in 0..<6 {
            harness.clock.advance(by: .seconds(600))
            try await harness.settle()
            let now = scene.charges(harness).count
            most = max(most, now - before)
            before = now
        }
        #expect(scene.charges(harness).count == charged)
        #expect(most <= 2, "one for each window of ten minutes, and two windows may meet")
    }

    @Test
    func `lago-api 2962, a stuck key blocked the retry with a new card: the retry is another payment with that card`()
        async throws
    {
        let harness = try await scene.started()
        try await scene.move(harness, to: "2027-01-31T07:00:00Z")
        let first = try await scene.schedule(harness).payment(1, attempt: 1)
        let sale = CallbackOperation(id: 1, type: "sale", status: "decline", minor: 1999)
        try await harness.deliver(first, sale, status: "decline")
        let other = try await scene.save(InstrumentId(Uuid(high: 0x1257, low: 2)), "f-2", in: harness)
        try await scene.send(harness, .change(ScheduleChange(instrument: other)), key: "new-card")
        let wake = try #require(try await scene.schedule(harness).nextTimer)
        try await scene.move(harness, to: wake.description)
        let second = try await scene.schedule(harness).payment(1, attempt: 2)
        #expect(second != first)
        #expect(try await harness.payment(second).terms?.instrument == other)
        #expect(scene.charges(harness).count == 2)
        try await succeed(harness, 1, attempt: 2)
        #expect(try await scene.schedule(harness).paid[1] == second)
    }

    @Test func `killbill 660, janitor and retry race: two nodes that retry the same occurrence make one payment`()
        async throws
    {
        let harness = try await scene.started()
        try await scene.move(harness, to: "2027-01-31T07:00:00Z")
        let first = try await scene.schedule(harness).payment(1, attempt: 1)
        let sale = CallbackOperation(id: 1, type: "sale", status: "decline", minor: 1999)
        try await harness.deliver(first, sale, status: "decline")
        let wake = try #require(try await scene.schedule(harness).nextTimer)
        harness.clock.advance(by: wake.since(harness.clock.now))
        let other = harness.neighbour()
        _ = try await harness.engine.scheduler.runOnce()
        _ = try await other.scheduler.runOnce()
        _ = try await other.mail.run()
        try await harness.settle()
        #expect(scene.charges(harness).count == 2)
        #expect(try await scene.schedule(harness).tries.values.count { $0.ordinal == 1 } == 2)
    }
}
