import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Schedules
import TestKit
import Testing

/// What the platform is told of a series, one message after the other, and names that are another payment's.
extension ProviderSeriesTests {
    @Test func `changes that follow each other are told one after the other, the newest last`() async throws {
        let (harness, _) = try await active()
        for (number, minor) in [2999, 3999, 4999].enumerated() {
            let change = ScheduleChange(amount: try euros(Int64(minor)))
            #expect(try await send(harness, .change(change), key: "change \(number)") == nil)
        }
        #expect(harness.store.effectCount == 1)
        let first = try #require(try await harness.engine.sender.prepare().first)
        #expect(try await send(harness, .cancel(reason: nil), key: "cancel") == nil)
        #expect(harness.store.effectCount == 1)
        await harness.engine.sender.send(first)
        try await harness.settle()
        #expect(sent(harness, "/recurring/update").map { $0.at("recurring", "amount") } == [2999])
        #expect(sent(harness, "/recurring/cancel").count == 1)
        #expect(try await schedule(harness).request?.word == "done")
        try await checkBooks(harness)
    }

    @Test func `what changed while a change was on its way is told with the newest terms`() async throws {
        let (harness, _) = try await active()
        for (number, minor) in [2999, 3999, 4999].enumerated() {
            let change = ScheduleChange(amount: try euros(Int64(minor)))
            #expect(try await send(harness, .change(change), key: "change \(number)") == nil)
        }
        try await harness.settle()
        #expect(sent(harness, "/recurring/update").map { $0.at("recurring", "amount") } == [2999, 4999])
        #expect(try await schedule(harness).untold == nil)
        try await checkBooks(harness)
    }

    @Test func `a platform that never answers leaves the request for a person`() async throws {
        let (harness, _) = try await active()
        harness.wire.play { _ in .answered(HttpResponse(status: 503, contentType: "text/html", body: [])) }
        #expect(try await send(harness, .cancel(reason: nil), key: "cancel") == nil)
        for _ in 0..<12 {
            try await harness.settle()
            harness.clock.advance(by: .seconds(400))
        }
        #expect(sent(harness, "/recurring/cancel").count == Int(SeriesLicense.repetition.tries))
        #expect(try await schedule(harness).request?.word == "unknown")
        try await checkBooks(harness)
    }

    @Test func `a series that belongs to another payment is a contradiction, and what comes with it is booked`()
        async throws
    {
        let harness = try await harness()
        #expect(try await send(harness, .create(try terms(harness)), key: "create") == nil)
        let payment = try await first(harness)
        try await give(harness, Reference(account: harness.account, kind: "series", value: String(Self.series)))
        try await tell(harness, payment)
        let booked = try await harness.payment(payment)
        #expect(booked.status == .captured && booked.series == nil)
        #expect(booked.openContradictions.map(\.kind) == [.identity])
        #expect(harness.store.quarantined.isEmpty)
        // The decision says what it knew, and is made the same again; only the stream made up here can't be.
        let report = try await harness.engine.replay.verify()
        #expect(report.differences.allSatisfy { $0.stream.kind == .arrivals }, "\(report.differences)")
    }

    /// Gives a name to a stream that nobody else knows.
    func give(_ harness: EngineHarness, _ name: Reference) async throws {
        let stream = StreamName(harness.merchant, .arrivals, Uuid(high: 0x07E4, low: 1))
        let input = InputRecord(
            id: Uuid(high: 0x07E4, low: 2),
            stream: stream,
            kind: .imported,
            name: "test",
            meta: [],
            body: [],
            receivedAt: harness.clock.now
        )
        let record = DecisionRecord(baseVersion: 0, context: [], versions: [], outcome: .events(0))
        let unit = CommitUnit(stream: stream, input: .new(input), record: record, events: [], references: [name])
        _ = try await harness.store.commit([unit])
    }
}
