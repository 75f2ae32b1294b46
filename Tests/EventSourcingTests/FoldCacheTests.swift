import EventSourcing
import Kernel
import Testing

/// A state that counts what its events add, and how many of them were read.
private struct Tally: Aggregate {
    struct Added: StoredEvent {
        enum Name: String, CaseIterable { case added = "tally.added.v1" }

        let number: Int64
        var name: Name { .added }

        func write(into out: inout JsonText) { out.member("number", number) }

        init(_ number: Int64) { self.number = number }

        init(_ name: Name, _ fields: Fields) throws(CodecFailure) {
            Tally.reads.withLock { $0[Tally.test ?? "", default: 0] += 1 }
            number = try fields.integer("number")
        }
    }

    /// Tests run side by side: each counts its own.
    @TaskLocal static var test: String?
    static let reads = Locked<[String: Int]>([:])

    private(set) var sum: Int64 = 0
    private(set) var version: Int32 = 0

    init(id: Uuid) {}

    mutating func evolve(_ event: Added) {
        sum += event.number
        version += 1
    }
}

/// States that are kept give what folding gives, and read nothing twice.
struct FoldCacheTests {
    private let stream = StreamName(MerchantNumber(1), .payment, Uuid(high: 0x7A, low: 1))

    private func history(_ numbers: [Int64], cause: UInt64 = 1) -> [RecordedEvent] {
        numbers.enumerated().map { index, number in
            let draft = Tally.Added(number).draft
            return RecordedEvent(
                stream: stream,
                version: Int32(index) + 1,
                position: Int64(index) + 1,
                type: draft.type,
                cause: Uuid(high: 0xCA, low: cause),
                recordedAt: Timestamp(seconds: 0),
                data: draft.data
            )
        }
    }

    private struct Folded: Equatable {
        let sum: Int64
        /// Events that were read for it.
        let reads: Int
    }

    private func fold(_ cache: FoldCache, _ history: [RecordedEvent], _ test: String = #function) throws -> Folded {
        let before = Tally.reads.withLock { $0[test] ?? 0 }
        let tally: Tally = try Tally.$test.withValue(test) { try cache.fold(stream, history) }
        return Folded(sum: tally.sum, reads: Tally.reads.withLock { $0[test] ?? 0 } - before)
    }

    @Test func `what was folded is not read again`() throws {
        let cache = FoldCache()
        let all = history(Array(1...1000))
        #expect(try fold(cache, Array(all.dropLast())) == Folded(sum: 499_500, reads: 999))
        #expect(try fold(cache, all) == Folded(sum: 500_500, reads: 1))
        #expect(try fold(cache, all) == Folded(sum: 500_500, reads: 0))
        #expect(try fold(cache, Array(all.dropLast())) == Folded(sum: 499_500, reads: 0), "a reader one behind")
    }

    @Test func `a foreseen state counts where the history goes on with its events, and nowhere else`() throws {
        let cache = FoldCache()
        let first: Tally = try cache.fold(stream, history([1]))
        let events = [Tally.Added(2), Tally.Added(3)]
        func foresee() { cache.foresee(first.after(events), of: stream, by: events.map(\.draft)) }
        foresee()
        #expect(try fold(cache, history([1, 7])) == Folded(sum: 8, reads: 1), "somebody else's event")
        foresee()
        #expect(try fold(cache, history([1, 2])) == Folded(sum: 3, reads: 1), "a part of them")
        foresee()
        #expect(try fold(cache, history([1, 2, 3, 4])).sum == 10)
    }

    @Test func `what a decision leads to is not read at all`() throws {
        let cache = FoldCache()
        let events = [Tally.Added(2), Tally.Added(3)]
        let second = Tally(id: stream.id).after(events)
        cache.foresee(second, of: stream, by: events.map(\.draft))
        #expect(try fold(cache, history([2, 3])) == Folded(sum: 5, reads: 0))
        cache.foresee(second.after([Tally.Added(4)]), of: stream, by: [Tally.Added(4).draft])
        #expect(try fold(cache, history([2, 3, 4, 5])) == Folded(sum: 14, reads: 1), "but what follows it")
    }

    @Test func `a log that lost its end gives what it holds now`() throws {
        let cache = FoldCache()
        #expect(try fold(cache, history([1, 2, 3])).sum == 6)
        #expect(try fold(cache, history([1, 5])).sum == 6, "another event at the same position")
        #expect(try fold(cache, history([1, 2, 3], cause: 2)) == Folded(sum: 6, reads: 3))
        #expect(try fold(cache, history([4])).sum == 4)
        #expect(try fold(cache, []).sum == 0)
    }

    @Test func `events behind a version are told with the states around them`() throws {
        let cache = FoldCache()
        _ = try fold(cache, history([1, 2]))
        var sums: [[Int64]] = []
        let last: Tally = try cache.fold(stream, History(history([1, 2, 3, 4])), behind: 2) { event, before, after in
            sums.append([Int64(event.version), before.sum, after.sum])
        }
        #expect(last.sum == 10)
        #expect(sums == [[3, 3, 6], [4, 6, 10]])
        #expect(try fold(cache, history([1, 2, 3, 4])) == Folded(sum: 10, reads: 0))
        let again: Tally = try cache.fold(stream, History(history([1, 2, 3, 4])), behind: 3) { _, before, _ in
            #expect(before.sum == 6, "a page that is read again")
        }
        #expect(again.sum == 10)
    }

    /// A reader that follows behind decisions meets states at every place: between them, at their ends, and foreseen ones.
    @Test func `a reader behind reads only what no decision made`() throws {
        let cache = FoldCache()
        let numbers = Array(Int64(1)...12)
        // Four decisions of three events each, of which the last is foreseen and read by nobody yet.
        for decided in stride(from: 0, to: 12, by: 3) {
            let state: Tally = try cache.fold(stream, history(Array(numbers[..<decided])))
            let events = numbers[decided..<decided + 3].map(Tally.Added.init)
            cache.foresee(state.after(events), of: stream, by: events.map { $0.draft })
        }
        var told: [[Int64]] = []
        let read = try reads {
            let last: Tally = try cache.fold(
                stream,
                History(history(numbers)),
                behind: 2,
                where: { $0.version % 6 == 0 },
                { event, before, after in told.append([Int64(event.version), before.sum, after.sum]) }
            )
            #expect(last.sum == 78)
        }
        #expect(told == [[6, 15, 21], [12, 66, 78]])
        // Those before each wanted event, behind the state that is nearest: 4 and 5, 10 and 11.
        #expect(read <= 2 + 4, "the beginning up to where the page begins, and those four")
        #expect(try fold(cache, history(Array(numbers[..<9]))) == Folded(sum: 45, reads: 0), "a reader three behind")
    }

    private func reads(_ test: String = #function, _ body: () throws -> Void) rethrows -> Int {
        let before = Tally.reads.withLock { $0[test] ?? 0 }
        try Tally.$test.withValue(test, operation: body)
        return Tally.reads.withLock { $0[test] ?? 0 } - before
    }

    @Test func `what is held is bounded by the bytes of the events`() throws {
        let cache = FoldCache(capacity: 10_000)
        for number in 0..<200 {
            let stream = StreamName(MerchantNumber(1), .payment, Uuid(high: 0x7A, low: UInt64(number)))
            let _: Tally = try cache.fold(stream, history([1, 2, 3]))
        }
        #expect(cache.bytes <= 10_000)
        #expect(cache.bytes > 2000)
    }

    @Test func `a stream of the wrong type of event says which event can't be read`() throws {
        let broken = RecordedEvent(
            stream: stream,
            version: 2,
            position: 2,
            type: "tally.lost.v1",
            cause: stream.id,
            recordedAt: Timestamp(seconds: 0),
            data: []
        )
        #expect(throws: CodecFailure("event 2: tally.lost.v1")) { try fold(FoldCache(), history([1]) + [broken]) }
    }

    @Test func `a stream that lacks events is told as such, and ends nobody's process`() {
        let whole = history([1, 2, 3, 4, 5])
        let holed = History([whole[0], whole[1], whole[4]])
        #expect(History(whole).isContiguous && !holed.isContiguous && holed.version == 5)
        #expect(!History(Array(whole[2...])).isContiguous, "its beginning is missing")
        #expect(holed.events(behind: 4).isEmpty && holed.events(behind: 1).count == 2)
    }
}
