import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Schedules
import TestKit
import Testing

/// Nothing new begins at a closed account, and what exists goes on; the decision says so, whoever asks.
struct ClosedAccountTests {
    private let scene = ScheduleScene()

    private func close(_ harness: EngineHarness) async {
        let stream = StreamName(harness.merchant, .account, harness.account)
        let closed = await harness.command(stream, AccountCommand.Name.close.rawValue, [:], key: "close")
        #expect(closed == .decided(version: 2, .events(1)))
    }

    @Test func `a new payment is refused, and one that exists is captured`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.create(.authorize, minor: 1999, key: "before")
        await close(harness)
        let refused = await #expect(throws: HarnessFailure.self) {
            try await harness.create(.sale, minor: 1999, key: "after")
        }
        #expect(refused?.what.contains("account_closed") == true, "\(refused?.what ?? "taken")")
        let authorized = CallbackOperation(id: 1, type: "auth", status: "success", minor: 1999)
        try await harness.deliver(id, authorized, status: "awaiting capture")
        let captured = await harness.command(harness.stream(id), "payment.capture", [:])
        guard case .decided(_, .events) = captured else { throw HarnessFailure(what: "\(captured)") }
        try await harness.settle()
        #expect(harness.wire.sent.first?.url == "https://api.ecommpay.com/v2/payment/card/capture")
        let report = try await harness.engine.replay.verify()
        #expect(report.isClean, "\(report.differences)")
    }

    @Test func `a new schedule is refused`() async throws {
        let harness = try await scene.harness()
        await close(harness)
        let command = ScheduleCommand.create(try scene.terms(harness))
        let outcome = await harness.command(scene.stream(harness), command.name.rawValue, command.json)
        guard case .decided(_, .rejected("account_closed", _)) = outcome else {
            throw HarnessFailure(what: "\(outcome)")
        }
    }

    @Test func `an occurrence that falls due comes back as a failed try`() async throws {
        let harness = try await scene.started()
        await close(harness)
        try await scene.move(harness, to: "2027-01-31T07:00:00Z")
        #expect(scene.charges(harness).isEmpty)
        let schedule = try await scene.schedule(harness)
        #expect(schedule.tries.values.map(\.outcome) == [.failed])
        let events: [ScheduleEvent] = try await harness.store.load([(scene.stream(harness), 0)])[0].decoded()
        let failures = events.compactMap { if case .failed(1, _, let failure, _) = $0 { failure } else { nil } }
        #expect(failures == [ScheduleEvent.Failure(kind: .configuration, code: "account_closed")])
        #expect(schedule.status == .paused)
        let report = try await harness.engine.replay.verify()
        #expect(report.isClean, "\(report.differences)")
    }
}
