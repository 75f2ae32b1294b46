import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Schedules
import TestKit
import Testing

/// A merchant in test mode moves its own clock: business time follows, machine time never does.
struct TestClockTests {
    private var scene = ScheduleScene()
    private static let start = "2030-01-01T00:00:00Z"

    /// What a year came to: the schedule's events byte for byte, the machine's time, and how often the clock stopped.
    private struct Year: Hashable {
        let events: [String]
        let charges: Int
        let steps: Int64
        let machineMoved: Bool
    }

    private func harness(from start: String = TestClockTests.start) async throws -> EngineHarness {
        let harness = try await scene.harness()
        #expect(harness.store.own(harness.merchant, from: try #require(Timestamp(start))))
        try await scene.start(harness, try scene.terms(harness, start: "2030-01-31"))
        return harness
    }

    /// Lets the clock travel while the provider decides every charge; answers when it has arrived.
    private func travel(_ harness: EngineHarness, to text: String, at node: Engine? = nil, declined: Set<Int> = [])
        async throws
    {
        #expect(harness.store.send(harness.merchant, to: try #require(Timestamp(text))))
        var told: Set<PaymentId> = []
        for _ in 0..<400 {
            try await harness.settle()
            let schedule = try await scene.schedule(harness)
            for (payment, one) in schedule.tries where one.ordinal > 0 && one.outcome == nil {
                guard told.insert(payment).inserted else { continue }
                let status = declined.contains(one.ordinal) && schedule.open[one.ordinal]?.attempts == 1
                let word = status ? "decline" : "success"
                let sale = CallbackOperation(id: Int64(told.count), type: "sale", status: word, minor: 1999)
                try await harness.deliver(payment, sale, status: word)
            }
            guard harness.store.ownClock(of: harness.merchant)?.target != nil else { return }
            _ = try await (node ?? harness.engine).travel()
        }
        Issue.record("the clock never arrived")
    }

    private func year() async throws -> Year {
        let harness = try await harness()
        let before = harness.clock.now
        try await travel(harness, to: "2031-01-01T00:00:00Z", declined: [3, 7])
        let events = try await harness.store.load([(scene.stream(harness), 0)])[0]
        let clock = try #require(harness.store.ownClock(of: harness.merchant))
        #expect(clock.at == Timestamp("2031-01-01T00:00:00Z"))
        let report = try await harness.engine.replay.verify()
        #expect(report.isClean, "\(report.differences)")
        return Year(
            events: events.map { "\($0.type) \(String(decoding: $0.data, as: UTF8.self))" },
            charges: scene.charges(harness).count,
            steps: clock.steps,
            machineMoved: harness.clock.now != before
        )
    }

    @Test(.timeLimit(.minutes(1)))
    func `a year of billing is the same every time, dunning included, while machine time stands`() async throws {
        let first = try await year()
        #expect(first.charges == 14, "twelve months, and two that were declined once")
        #expect(!first.machineMoved)
        #expect(first.events.count { $0.hasPrefix("occurrence.succeeded") } == 12)
        #expect(
            first.events.contains { $0.contains("2030-02-28") } && first.events.contains { $0.contains("2030-12-31") }
        )
        #expect(try await year() == first)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a card whose payer's leave counts days is charged each month of the merchant's own clock`() async throws {
        var mandated = self
        mandated.scene.mandate = InstrumentFact.Mandate(endsAt: Timestamp("2030-12-31T00:00:00Z"), days: 14)
        let year = try await mandated.year()
        #expect(
            year.charges == 13,
            "eleven months, and two that were declined once: the leave ended before the twelfth"
        )
        #expect(year.events.count { $0.hasPrefix("occurrence.succeeded") } == 11)
    }

    @Test func `an occurrence is due by the merchant's clock and not by the server's`() async throws {
        let harness = try await harness()
        harness.clock.advance(by: .seconds(10 * 365 * 86_400))
        try await harness.settle()
        #expect(scene.charges(harness).isEmpty)
        try await travel(harness, to: "2030-02-01T00:00:00Z")
        #expect(scene.charges(harness).count == 1)
        #expect(try await scene.schedule(harness).paid.count == 1)
    }

    @Test func `a payment's deadlines are of machine time however far the clock has gone`() async throws {
        let harness = try await harness()
        try await travel(harness, to: "2030-02-01T00:00:00Z")
        let id = try await scene.schedule(harness).payment(1, attempt: 1)
        let payment = try await harness.payment(id)
        let expiry = try #require(payment.terms?.expiresAt)
        #expect(expiry <= harness.clock.now.adding(.seconds(86_400)))
    }

    @Test func `a clock waits for what is under way, and two nodes move it by one step each`() async throws {
        let harness = try await harness()
        let target = try #require(Timestamp("2030-03-01T00:00:00Z"))
        #expect(harness.store.send(harness.merchant, to: target))
        let other = harness.neighbour()
        _ = try await harness.engine.travel()
        let due = try #require(Timestamp("2030-01-31T07:00:00Z"))
        #expect(harness.store.ownClock(of: harness.merchant)?.at == due, "it stops at the timer")
        for _ in 0..<5 {
            _ = try await other.travel()
            _ = try await harness.engine.travel()
        }
        #expect(harness.store.ownClock(of: harness.merchant)?.at == due, "the charge has no outcome yet")
        try await harness.settle()
        #expect(scene.charges(harness).count == 1)
        _ = try await other.travel()
        #expect(harness.store.ownClock(of: harness.merchant)?.at == due, "the provider has not said what became of it")
    }

    @Test func `who waits for quiet looks ever less often, until a clock moves`() {
        var pause = QuietPause()
        let waits = (0..<9).map { _ in pause.next(after: .waits) }
        #expect(waits == [10, 20, 40, 80, 160, 320, 640, 1000, 1000].map { .milliseconds($0) })
        #expect(pause.next(after: .moved) == .zero)
        #expect(pause.next(after: .waits) == .milliseconds(10))
        _ = (pause.next(after: .waits), pause.next(after: .noneTravels))
        #expect(pause.next(after: .waits) == .milliseconds(10))
    }

    @Test func `a waiting clock says what for, and holds back nobody's`() async throws {
        let harness = try await harness()
        let stranger = MerchantNumber(harness.merchant.value + 1)
        let (start, target) = (try #require(Timestamp(Self.start)), try #require(Timestamp("2030-03-01T00:00:00Z")))
        #expect(harness.store.own(stranger, from: start))
        #expect(harness.store.clockWaits(of: harness.merchant) == [])
        #expect(harness.store.send(harness.merchant, to: target))
        _ = try await harness.engine.travel()
        #expect(harness.store.clockWaits(of: harness.merchant) == [.decisions])
        try await harness.settle()
        #expect(harness.store.clockWaits(of: harness.merchant) == [.payments])
        #expect(harness.store.send(stranger, to: target))
        _ = try await harness.engine.travel()
        #expect(harness.store.ownClock(of: stranger)?.at == target)
        #expect(harness.store.ownClock(of: harness.merchant)?.at != target)
    }

    @Test func `a clock never goes back`() async throws {
        let harness = try await harness()
        try await travel(harness, to: "2030-01-15T00:00:00Z")
        #expect(!harness.store.send(harness.merchant, to: try #require(Timestamp("2030-01-14T00:00:00Z"))))
        #expect(!harness.store.own(harness.merchant, from: try #require(Timestamp("2040-01-01T00:00:00Z"))))
    }
}
