import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Schedules
import TestKit
import Testing

/// Schedules in the whole engine: due occurrences become payments, and payments tell their schedules what became of them.
struct ScheduleEngineTests {
    private let scene = ScheduleScene()

    @Test func `each month becomes one charge, and its outcome comes back to the schedule`() async throws {
        let harness = try await scene.started()
        try await harness.settle()
        #expect(scene.charges(harness).isEmpty)
        for (ordinal, day) in ["2027-01-31", "2027-02-28", "2027-03-31"].enumerated() {
            try await scene.move(harness, to: "\(day)T07:00:00Z")
            #expect(scene.charges(harness).count == ordinal + 1)
            let id = try await scene.schedule(harness).payment(ordinal + 1, attempt: 1)
            let payment = try await harness.payment(id)
            #expect(payment.terms?.occurrence?.ordinal == ordinal + 1)
            let sale = CallbackOperation(id: Int64(ordinal + 1), type: "sale", status: "success", minor: 1999)
            try await harness.deliver(id, sale, status: "success")
            #expect(try await scene.schedule(harness).paid[ordinal + 1] == id)
        }
        let report = try await harness.engine.replay.verify()
        #expect(report.isClean, "\(report.differences)")
    }

    @Test func `two nodes that both fire make one payment for an ordinal`() async throws {
        let harness = try await scene.started()
        let other = harness.neighbour()
        let moment = try #require(Timestamp("2027-01-31T07:00:01Z"))
        harness.clock.advance(by: moment.since(harness.clock.now))
        _ = try await harness.engine.scheduler.runOnce()
        _ = try await other.scheduler.runOnce()
        _ = try await other.mail.run()
        try await harness.settle()
        #expect(scene.charges(harness).count == 1)
        #expect(try await scene.schedule(harness).tries.count == 1)
    }

    @Test func `a declined charge is tried again after the policy's delay, as another payment`() async throws {
        let harness = try await scene.started()
        try await scene.move(harness, to: "2027-01-31T07:00:00Z")
        let first = try await scene.schedule(harness).payment(1, attempt: 1)
        let sale = CallbackOperation(id: 1, type: "sale", status: "decline", minor: 1999)
        try await harness.deliver(first, sale, status: "decline")
        let open = try #require(try await scene.schedule(harness).open[1])
        #expect(open.attempts == 1)
        guard let wake = try await scene.schedule(harness).nextTimer,
            wake < (try #require(Timestamp("2027-02-28T00:00:00Z")))
        else {
            Issue.record("no retry: \(open.state) \(try await harness.payment(first).status)")
            return
        }
        try await scene.move(harness, to: wake.description)
        #expect(scene.charges(harness).count == 2)
        #expect(try await scene.schedule(harness).payment(1, attempt: 2) != first)
    }

    @Test func `a payment that is refused before it begins fails its occurrence`() async throws {
        let harness = try await scene.started()
        let removed = await harness.command(
            StreamName(harness.merchant, .account, harness.account),
            AccountCommand.Name.close.rawValue,
            [:],
            key: "close"
        )
        #expect(removed == .decided(version: 2, .events(1)))
        let instrument = StreamName(harness.merchant, .instrument, scene.card.uuid)
        _ = await harness.command(instrument, "instrument.remove", ["reason": "lost"], key: "remove")
        try await scene.move(harness, to: "2027-01-31T07:00:00Z")
        let found = try await scene.schedule(harness)
        #expect(scene.charges(harness).isEmpty)
        #expect(found.status == .paused && !found.hasTryInFlight)
    }

    @Test func `an outage of months charges the newest occurrence alone`() async throws {
        let harness = try await scene.started()
        let moment = try #require(Timestamp("2027-06-10T12:00:00Z"))
        harness.clock.advance(by: moment.since(harness.clock.now))
        try await harness.settle()
        #expect(scene.charges(harness).isEmpty)
        harness.clock.advance(by: .seconds(3600))
        try await harness.settle()
        #expect(scene.charges(harness).count == 1)
        #expect(try await scene.schedule(harness).open.keys.sorted().first == 5)
    }

    @Test func `a card that is refused for good gives way to the fallback at once`() async throws {
        let harness = try await scene.harness()
        var terms = try scene.terms(harness)
        let other = try await scene.save(InstrumentId(Uuid(high: 0x1257, low: 2)), "f-2", in: harness)
        terms.fallback = other
        try await scene.start(harness, terms)
        try await scene.move(harness, to: "2027-01-31T07:00:00Z")
        let first = try await scene.schedule(harness).payment(1, attempt: 1)
        var sale = CallbackOperation(id: 1, type: "sale", status: "decline", minor: 1999)
        sale.code = "20201"
        try await harness.deliver(first, sale, status: "decline")
        try await harness.settle()
        let second = try await scene.schedule(harness).payment(1, attempt: 2)
        #expect(try await harness.payment(second).terms?.instrument == other)
        #expect(scene.charges(harness).count == 2)
        let paid = CallbackOperation(id: 2, type: "sale", status: "success", minor: 1999)
        try await harness.deliver(second, paid, status: "success")
        #expect(try await scene.schedule(harness).paid[1] == second)
    }

    @Test func `a charge that needs the customer is asked of them, and their own payment pays the occurrence`()
        async throws
    {
        let harness = try await scene.started()
        try await scene.move(harness, to: "2027-01-31T07:00:00Z")
        let first = try await scene.schedule(harness).payment(1, attempt: 1)
        var sale = CallbackOperation(id: 1, type: "sale", status: "decline", minor: 1999)
        sale.code = "10104"
        try await harness.deliver(first, sale, status: "decline")
        guard case .stepUp(first)? = try await scene.schedule(harness).open[1]?.state else {
            Issue.record("nobody is asked: \(String(describing: try await scene.schedule(harness).open[1]))")
            return
        }
        let run = ScheduleCommand.run(ordinal: 1, amount: nil, presence: .customerPresent)
        try await scene.send(harness, run, key: "the customer is there")
        try await harness.settle()
        let second = try await scene.schedule(harness).payment(1, attempt: 2)
        let asked = try await harness.payment(second)
        #expect(asked.terms?.method == .hosted && asked.status == .requiresAction)
        #expect(asked.terms?.expiresAt == harness.clock.now.adding(.seconds(3 * 86_400)), "as long as the policy asks")
        #expect(scene.charges(harness).count == 1, "the second one is paid on a page")
        let paid = CallbackOperation(id: 2, type: "sale", status: "success", minor: 1999)
        try await harness.deliver(second, paid, status: "success")
        #expect(try await scene.schedule(harness).paid[1] == second)
    }

    @Test func `an unknown zone is refused, and so is a series at an account that can't charge unattended`()
        async throws
    {
        let plain = try await EngineHarness(
            settings: ["currencies": ["EUR"], "methods": ["hosted", "sdk"], "projectId": 42]
        )
        let refused = await plain.command(scene.stream(plain), "schedule.create", try scene.terms(plain).json, key: "c")
        guard case .decided(_, .rejected(let code, _)) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(code == "unattended_not_supported")
        let harness = try await scene.harness()
        var elsewhere = try scene.terms(harness)
        elsewhere.rule = ScheduleRule(
            cadence: .every(1, .month),
            start: try #require(CivilDate("2027-01-31")),
            time: .noon,
            zone: "Test/Nowhere"
        )
        let unknown = await harness.command(scene.stream(harness), "schedule.create", elsewhere.json, key: "c")
        guard case .decided(_, .rejected("zone_unknown", _)) = unknown else {
            Issue.record("\(unknown)")
            return
        }
    }
}
