import Decisions
import Engine
import EventSourcing
import Kernel
import Payments
import Schedules
import TestKit
import Testing

/// A card that can't be charged is refused when a schedule names it, and not on the day of billing.
struct ScheduleCardTests {
    private let scene = ScheduleScene()

    /// Cards that a schedule of `cust-7` may not charge, and why.
    private func bad(_ harness: EngineHarness) async throws -> [(InstrumentId, String)] {
        func id(_ low: UInt64) -> InstrumentId { InstrumentId(Uuid(high: 0x1257, low: low)) }
        let foreign = try await scene.save(id(2), "f-2", of: "cust-8", in: harness)
        let elsewhere = try await scene.save(id(3), "f-3", at: Uuid(high: 9, low: 9), in: harness)
        let removed = try await scene.save(id(4), "f-4", in: harness)
        let stream = StreamName(harness.merchant, .instrument, removed.uuid)
        _ = await harness.command(stream, "instrument.remove", ["reason": "lost"], key: "remove")
        return [
            (id(99), "instrument_unknown"), (foreign, "instrument_not_owned"), (elsewhere, "instrument_unknown"),
            (removed, "instrument_removed"),
        ]
    }

    private func code(_ harness: EngineHarness, _ command: ScheduleCommand, key: String) async -> String? {
        let outcome = await harness.command(scene.stream(harness), command.name.rawValue, command.json, key: key)
        guard case .decided(_, .rejected(let code, _)) = outcome else { return nil }
        return code
    }

    @Test func `a schedule is not registered with a card that it could never charge`() async throws {
        let harness = try await scene.harness()
        for (index, (card, expected)) in try await bad(harness).enumerated() {
            var terms = try scene.terms(harness)
            terms.instrument = card
            #expect(await code(harness, .create(terms), key: "card-\(index)") == expected)
            terms = try scene.terms(harness)
            terms.fallback = card
            #expect(await code(harness, .create(terms), key: "fallback-\(index)") == expected)
        }
        #expect(await code(harness, .create(try scene.terms(harness)), key: "good") == nil)
        #expect(try await scene.schedule(harness).status == .registered)
    }

    @Test func `a schedule is not changed to such a card, as its own or as its fallback, and keeps what it has`()
        async throws
    {
        let harness = try await scene.started()
        let before = try await scene.schedule(harness).terms
        for (index, (card, expected)) in try await bad(harness).enumerated() {
            let own = ScheduleCommand.change(ScheduleChange(instrument: card))
            #expect(await code(harness, own, key: "own-\(index)") == expected)
            let fallback = ScheduleCommand.change(ScheduleChange(fallback: card))
            #expect(await code(harness, fallback, key: "fallback-\(index)") == expected)
        }
        #expect(try await scene.schedule(harness).terms == before)
        let report = try await harness.engine.replay.verify()
        #expect(report.isClean, "\(report.differences)")
    }

    @Test(arguments: ["instrument", "fallback"])
    func `a schedule waits for the card that a payment has just shown`(member: String) async throws {
        let harness = try await scene.harness()
        let card = InstrumentId(Uuid(high: 0x1257, low: 6))
        var terms = try scene.terms(harness)
        if member == "instrument" { terms.instrument = card } else { terms.fallback = card }
        let stream = StreamName(harness.merchant, .instrument, card.uuid)
        let save = try await scene.saving("f-6", in: harness)
        let input = InputRecord.sent(card.uuid, to: stream, save, by: "a payment", account: nil, at: harness.clock.now)
        _ = try await harness.store.admit([input])
        let create = ScheduleCommand.create(terms)
        let outcome = await harness.command(scene.stream(harness), create.name.rawValue, create.json, key: "early")
        #expect(outcome == .busy)
        try await harness.settle()
        #expect(await code(harness, create, key: "later") == nil)
        #expect(try await scene.schedule(harness).status == .registered)
    }

    @Test func `a card that nobody owns is anybody's, an ended one nobody's`() async throws {
        let harness = try await scene.started()
        let nobodys = try await scene.save(InstrumentId(Uuid(high: 0x1257, low: 5)), "f-5", of: nil, in: harness)
        try await scene.send(harness, .change(ScheduleChange(instrument: nobodys)), key: "nobody's")
        try await scene.send(harness, .change(ScheduleChange(instrument: scene.card)), key: "back")
        let late = try #require(Timestamp("2041-02-01T00:00:00Z"))
        harness.clock.advance(by: late.since(harness.clock.now))
        let change = ScheduleCommand.change(ScheduleChange(fallback: scene.card))
        #expect(await code(harness, change, key: "ended") == "instrument_expired")
    }
}
