import Engine
import EventSourcing
import Http
import Kernel
import Payments
import TestKit
import Testing

struct StreamCacheTests {
    private let store = MemoryStore(clock: ManualClock(Timestamp(seconds: 1_800_000_000)))

    private func stream(_ number: UInt64) -> StreamName {
        StreamName(MerchantNumber(1), .payment, Uuid(high: 5, low: number))
    }

    private func append(_ count: Int, to stream: StreamName, base: Int32) async throws {
        let drafts = (0..<count).map { EventDraft(type: "test.happened", data: Array("{\"n\":\($0)}".utf8)) }
        try await store.append(drafts, to: stream, base: base)
    }

    @Test func `what is held may miss the end, and a reader that needs a version gets it`() async throws {
        let streamCache = StreamCache(store: store)
        try await append(2, to: stream(1), base: 0)
        #expect(try await streamCache.known([stream(1)])[0].version == 2)
        try await append(3, to: stream(1), base: 2)
        #expect(try await streamCache.known([stream(1)])[0].version == 2)
        #expect(try await streamCache.stream(stream(1), at: 4).events.map(\.version) == [1, 2, 3, 4])
        #expect(try await streamCache.known([stream(1)])[0].version == 5)
        #expect(try await streamCache.stream(stream(1), at: 9).version == 5)
    }

    @Test func `the newest view reads on from what is held`() async throws {
        let streamCache = StreamCache(store: store)
        try await append(1, to: stream(1), base: 0)
        _ = try await streamCache.known([stream(1)])
        try await append(1, to: stream(1), base: 1)
        let whole = try await streamCache.current([stream(2), stream(1)])
        #expect(whole.map(\.events) == [[], try await store.load([(stream(1), 0)])[0]])
    }

    @Test func `behind another event than the last one held a stream is read anew, and nothing else is held`()
        async throws
    {
        let asked = Locked(0)
        let streamCache = StreamCache(store: store, forgetLog: { asked.withLock { $0 += 1 } })
        try await append(1, to: stream(2), base: 0)
        _ = try await streamCache.known([stream(2)])
        try await append(2, to: stream(1), base: 0)
        let dump = store.backup()
        try await append(2, to: stream(1), base: 2)
        #expect(try await streamCache.known([stream(1)])[0].version == 4)
        store.restore(dump, isElsewhere: false)
        #expect(try await streamCache.current([stream(1)])[0].version == 2, "what is held is longer than what there is")
        try await append(2, to: stream(1), base: 2)
        #expect(try await streamCache.current([stream(1)])[0].version == 4)
        store.restore(dump, isElsewhere: false)
        for base in [2, 3] as [Int32] { try await append(1, to: stream(1), base: base) }
        try await append(2, to: stream(1), base: 4)
        let whole = try await store.load([(stream(1), 0)])[0]
        #expect(try await streamCache.stream(stream(1), at: 6).events == whole)
        #expect(try await streamCache.known([stream(1)])[0].events == whole)
        #expect(asked.withLock { $0 } == 2)
        let before = store.eventsLoaded
        _ = try await streamCache.known([stream(2)])
        #expect(store.eventsLoaded == before + 1, "nor is anything else held")
    }

    @Test func `a stream without events is not held`() async throws {
        let streamCache = StreamCache(store: store)
        #expect(try await streamCache.known([stream(1)])[0].isEmpty)
        try await append(1, to: stream(1), base: 0)
        #expect(try await streamCache.known([stream(1)])[0].version == 1)
    }

    @Test func `what was read before a restore is read again, and what comes late from then is not held`() async throws
    {
        let epoch = Locked<RecoveryEpoch?>(nil)
        let streamCache = StreamCache(store: store) { () async throws(StoreFailure) in epoch.withLock { $0 } }
        try await append(2, to: stream(1), base: 0)
        let backup = store.backup()
        try await append(1, to: stream(1), base: 2)
        let lost = try await streamCache.known([stream(1)])[0].events
        store.restore(backup)
        store.beginRecovery()
        let begun = try #require(try await store.recoveryEpoch())
        epoch.withLock { $0 = begun }
        #expect(try await streamCache.known([stream(1)])[0].version == 2)
        streamCache.committed(stream(1), base: 2, [lost[2]], in: nil)
        streamCache.committed(stream(2), base: 0, lost, in: nil)
        #expect(try await streamCache.known([stream(1), stream(2)]).map(\.version) == [2, 0])
        streamCache.committed(stream(1), base: 2, [lost[2]], in: begun)
        #expect(try await streamCache.known([stream(1)])[0].version == 3)
    }

    @Test func `old streams make room for new ones and are read again`() async throws {
        let streamCache = StreamCache(store: store, capacity: 8 * 1700)
        for number in 1...160 as ClosedRange<UInt64> {
            try await append(2, to: stream(number), base: 0)
            _ = try await streamCache.known([stream(number)])
        }
        try await append(1, to: stream(1), base: 2)
        try await append(1, to: stream(160), base: 2)
        #expect(try await streamCache.known([stream(1), stream(160)]).map(\.version) == [3, 2])
    }
}

/// A card that is charged again and again: its thousandth charge costs what its second does.
struct EndlessStreamTests {
    private let store = MemoryStore(clock: ManualClock(Timestamp(seconds: 1_800_000_000)))
    private let card = StreamName(MerchantNumber(1), .instrument, Uuid(high: 6, low: 1))
    /// Charges between two times that the beginning of the stream is let go of.
    private let stride = 257

    private func events(_ drafts: [EventDraft], of stream: StreamName, behind base: Int32) -> [RecordedEvent] {
        drafts.enumerated().map { index, draft in
            let version = base + Int32(index) + 1
            return RecordedEvent(
                stream: stream,
                version: version,
                position: Int64(version),
                type: draft.type,
                cause: Uuid(high: 7, low: UInt64(version)),
                recordedAt: .epoch,
                data: draft.data
            )
        }
    }

    private func charge(_ number: Int) -> EventDraft {
        InstrumentEvent.charged(Uuid(high: 8, low: UInt64(number)), at: Timestamp(seconds: Int64(number) + 1_000_000))
            .draft
    }

    /// Charges the card in a cache that holds it already, one by one as they are committed.
    private func charges(_ numbers: Range<Int>, _ streamCache: StreamCache, _ folds: FoldCache) async throws {
        for number in numbers {
            let base = Int32(number)
            streamCache.committed(card, base: base, events([charge(number)], of: card, behind: base), in: nil)
            let history = try await streamCache.known([card])[0]
            let state: Instrument = try folds.fold(card, history)
            #expect(state.version == base + 1)
        }
    }

    @Test func `what is held of a card does not grow with its charges, and gives what all of them do`() async throws {
        let (streamCache, folds) = (StreamCache(store: store), FoldCache())
        streamCache.committed(card, base: 0, events([charge(0)], of: card, behind: 0), in: nil)
        let (few, many) = (2 * stride, 12 * stride)
        try await charges(1..<few, streamCache, folds)
        let held = try await streamCache.known([card])[0]
        let bytes = folds.bytes
        try await charges(few..<many, streamCache, folds)
        let later = try await streamCache.known([card])[0]
        #expect(later.events.count == held.events.count)
        #expect(later.bytes == held.bytes)
        #expect(folds.bytes == bytes)
        let all = events((0..<many).map(charge), of: card, behind: 0)
        #expect(try FoldCache().fold(card, later) == Instrument.fold(card, all))
        #expect(later.first == all.first)
        #expect(later.last == all.last)
    }

    @Test func `cards that are not held are read in pages, and of each what is held goes on`() async throws {
        let cards = (1...3).map { StreamName(card.merchant, .instrument, Uuid(high: 6, low: $0)) }
        let counts = [4 * StreamKind.instrument.page + 7, 1, 2 * StreamKind.instrument.page]
        for (card, count) in zip(cards, counts) {
            try await store.append((0..<count).map(charge), to: card)
        }
        let (read, folds) = (try await StreamCache(store: store).current(cards), FoldCache())
        #expect(store.mostLoaded == 2 * StreamKind.instrument.page + 1, "a page of each")
        for (card, history) in zip(cards, read) {
            let all = try await store.load([(card, 0)])[0]
            #expect(try folds.fold(card, history) == Instrument.fold(card, all))
            #expect(history.last == all.last)
            #expect(history.events.count <= StreamKind.instrument.page)
        }
    }

    @Test func `a card as it was earlier is read on from where it was asked for last`() async throws {
        let count = 12 * StreamKind.instrument.page
        try await store.append((0..<count).map(charge), to: card)
        let all = try await store.load([(card, 0)])[0]
        let (streamCache, folds) = (StreamCache(store: store), FoldCache())
        _ = try await streamCache.known([card])
        let before = store.eventsLoaded
        for version in Swift.stride(from: 1, to: Int32(count), by: 37) {
            let history = try await streamCache.stream(card, at: version)
            #expect(history.version == version && history.events.count <= StreamKind.instrument.page)
            #expect(try folds.fold(card, history) == Instrument.fold(card, all.prefix(Int(version))))
        }
        #expect(store.eventsLoaded - before <= count, "each event once")
        // Who goes back begins anew.
        #expect(try await streamCache.stream(card, at: 2).events.count == 2)
    }

    @Test func `of one card a reader has every event that he wants, however few are held`() async throws {
        let count = Int32(5 * StreamKind.instrument.page)
        try await store.append((0..<Int(count)).map(charge), to: card)
        let all = try await store.load([(card, 0)])[0]
        let streamCache = StreamCache(store: store)
        _ = try await streamCache.known([card])
        for versions in [0...count, 0...600, 700...count - 1, count - 3...count + 1] {
            let history = try #require(try await streamCache.streams([card: versions])[card])
            #expect(history.version == min(count, versions.upperBound))
            let wanted = all[Int(versions.lowerBound)..<Int(history.version)]
            #expect(history.events(behind: versions.lowerBound).elementsEqual(wanted), "\(versions)")
        }
    }

    @Test func `of routing rules that are set again and again the newest are held, and give what all of them do`()
        async throws
    {
        let routing = DerivedNames.routing(card.merchant)
        let rules = RouteRules(rules: [], breaker: .standard)
        let drafts = (1...200).map { number in
            RoutingEvent.rulesSet(rules, number: number, by: "ann", at: Timestamp(seconds: Int64(number))).draft
        }
        try await store.append(drafts, to: routing)
        // Who decides on it and who routes payments by it read pages, also of what it was.
        let history = try await StreamCache(store: store).current([routing])[0]
        let book = AccountBook(store: store, recovery: store)
        let (newest, earlier) = (
            try await book.routing(card.merchant), try await book.routing(card.merchant, version: 50)
        )
        #expect(store.mostLoaded == StreamKind.routing.page)
        #expect(history.events.count <= StreamKind.routing.page && history.version == 200)
        let all = try await store.load([(routing, 0)])[0]
        #expect(try FoldCache().fold(routing, history) == Routing.fold(routing, all))
        #expect(try newest == Routing.fold(routing, all) && earlier == Routing.fold(routing, all.prefix(50)))
    }

    @Test func `a stream of large events drives out no other`() async throws {
        let (streamCache, folds) = (StreamCache(store: store, capacity: 1 << 20), FoldCache(capacity: 1 << 20))
        let payments = (2...3).map { StreamName(MerchantNumber(1), .payment, Uuid(high: 6, low: $0)) }
        streamCache.committed(payments[0], base: 0, events([charge(0)], of: payments[0], behind: 0), in: nil)
        let large = EventDraft(type: "test.happened", data: [UInt8](repeating: 32, count: 60_000))
        for number in 0..<40 as Range<Int32> {
            streamCache.committed(payments[1], base: number, events([large], of: payments[1], behind: number), in: nil)
            _ = try await streamCache.known([payments[1]])
        }
        // The store knows nothing of it: what is told is what is held.
        #expect(try await streamCache.known([payments[0]])[0].version == 1)
        let few: Instrument = try folds.fold(card, events([charge(0)], of: card, behind: 0))
        let bytes = folds.bytes
        let other = StreamName(card.merchant, .instrument, Uuid(high: 6, low: 9))
        let many: Instrument = try folds.fold(other, events((0..<2000).map(charge), of: other, behind: 0))
        #expect(few.version == 1 && many.version == 2000 && folds.bytes == bytes && bytes > 0)
    }

    @Test func `a card's charges drive out no other stream`() async throws {
        let (streamCache, folds) = (StreamCache(store: store, capacity: 4 << 20), FoldCache(capacity: 4 << 20))
        let other = StreamName(MerchantNumber(1), .payment, Uuid(high: 6, low: 2))
        streamCache.committed(other, base: 0, events([charge(0)], of: other, behind: 0), in: nil)
        streamCache.committed(card, base: 0, events([charge(0)], of: card, behind: 0), in: nil)
        try await charges(1..<8000, streamCache, folds)
        // The store knows nothing of it: what is told is what is held.
        #expect(try await streamCache.known([other])[0].version == 1)
        #expect(folds.bytes < 1 << 20)
    }
}

/// Two nodes that decide about the same payments, each from what it remembers.
struct TwoNodesTests {
    @Test func `a node that remembers an old version decides on the newest`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.create(.authorize, minor: 1000, key: "two")
        let other = harness.neighbour()
        _ = try await other.streamCache.known([harness.stream(id)])
        try await harness.deliver(
            id,
            CallbackOperation(id: 1, type: "auth", status: "success", minor: 1000),
            status: "awaiting capture"
        )
        let outcome = await harness.command(harness.stream(id), "payment.capture", [:], at: other)
        guard case .decided(_, .events(let count)) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(count > 0)
        #expect(try await harness.payment(id).operations.last?.kind == .capture)
    }

    @Test func `a node that was overtaken reads what is new, and not the whole stream`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.authorized("five")
        let other = harness.neighbour()
        let euro = try #require(Currency("EUR"))
        let part = PaymentCommand.capture(amount: Money(100, euro), reason: nil).json
        await harness.command(harness.stream(id), "payment.capture", part, key: "there", at: other)
        let held = try await harness.payment(id).version
        let settled = CallbackOperation(id: 2, type: "capture", status: "success", minor: 100)
        try await harness.deliver(id, settled, status: "partially captured")
        let new = try await harness.payment(id).version - held
        #expect(new > 0)
        let before = harness.store.eventsLoaded
        await harness.command(harness.stream(id), "payment.capture", part, key: "there again", at: other)
        #expect(harness.store.eventsLoaded - before == 1 + Int(new), "behind the last one held")
    }

    @Test func `an answer to a message that another node licensed is not taken for poison`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.authorized("three")
        let other = harness.neighbour()
        _ = try await other.streamCache.known([harness.stream(id)])
        await harness.command(harness.stream(id), "payment.capture", [:])
        harness.wire.play { _ in .sentNoAnswer(NoAnswer(.deadline)) }
        for ready in try await harness.engine.sender.prepare() { await other.sender.send(ready) }
        #expect(try await other.mail.run() == 0)
        #expect(try await harness.payment(id).operations.last?.state == .indeterminate)
    }

    @Test func `a create under a used id finds the payment that is there`() async throws {
        let harness = try await EngineHarness()
        let id = try await harness.create(.sale, minor: 1000, key: "four")
        let terms = try #require(try await harness.payment(id).terms)
        let outcome = await harness.command(
            harness.stream(id),
            "payment.create",
            terms.json,
            key: "another",
            at: harness.neighbour()
        )
        guard case .decided(_, .rejected) = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }
}

extension MemoryStore {
    /// Writes events as what a timer led to.
    fileprivate func append(_ drafts: [EventDraft], to stream: StreamName, base: Int32 = 0) async throws {
        let input = InputRecord(
            id: Uuid(high: UInt64(base) + 1, low: stream.id.low),
            stream: stream,
            kind: .timer,
            name: "timer",
            meta: Array("{}".utf8),
            body: [],
            receivedAt: Timestamp(seconds: 1_800_000_000)
        )
        let unit = CommitUnit(
            stream: stream,
            input: .new(input),
            record: DecisionRecord(
                baseVersion: base,
                context: Array("{}".utf8),
                versions: Array("{}".utf8),
                outcome: .events(drafts.count)
            ),
            events: drafts
        )
        let outcomes = try await commit([unit])
        guard case .committed = outcomes[0] else { throw HarnessFailure(what: "\(outcomes)") }
    }
}
