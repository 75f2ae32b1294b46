import EventSourcing
import Kernel
import TestKit
import Testing

/// What both stores keep and show of sends.
struct DispatchRecordsContractTests {
    private typealias Both = any EventStore & WorkQueue & DispatchRecords

    private func withBoth(_ kind: StoreKind, _ body: (Both) async throws -> Void) async throws {
        try await withStore(kind) { store async throws in try await body(try #require(store as? Both)) }
    }

    @Test(arguments: StoreKind.allCases)
    func `a mark stays when its effect is gone, once per lease and with its first time`(_ kind: StoreKind) async throws
    {
        try await withBoth(kind) { store async throws in
            let planned = effect(1, now: try await store.now())
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, effects: [.create(planned)])])
            let lease = try await store.claimEffects(owner: "a", lease: .seconds(15))[0].lease
            #expect(try await store.marks(of: [stream(1)]) == [[]])
            _ = try await store.markSending([lease], margin: .seconds(5))
            let first = try await store.marks(of: [stream(1), stream(2)])
            _ = try await store.markSending([lease], margin: .seconds(5))
            _ = try await store.commit([unit(stream(1), input: 2, base: 1, effects: [.remove(planned.id)])])
            let mark = try #require(first[0].first)
            #expect(mark.effect == planned.id && mark.ordinal == 1 && mark.fence == lease.fence)
            #expect(try await store.marks(of: [stream(1)]) == [[mark]])
            #expect(first[1].isEmpty)
            #expect(try await store.strayMarks(limit: 10).isEmpty)
            #expect(try await store.marksBegan() <= mark.at)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `streams and effect rows are read page by page in their order`(_ kind: StoreKind) async throws {
        try await withBoth(kind) { store async throws in
            let now = try await store.now()
            for number in UInt64(1)...5 {
                let change = EffectChange.create(effect(number, now: now))
                _ = try await store.commit([unit(stream(number), input: number, base: 0, effects: [change])])
            }
            var streams: [StreamName] = []
            while case let page = try await store.streams(after: streams.last, limit: 2), !page.isEmpty {
                streams += page
            }
            #expect(streams == (1...5).map { stream($0) }.sorted())
            var rows: [EffectStanding] = []
            while case let page = try await store.effects(after: rows.last, limit: 2), !page.isEmpty { rows += page }
            #expect(rows.map(\.id) == (UInt64(1)...5).map { effect($0, now: now).id })
            #expect(rows.allSatisfy { $0.state == .ready && $0.ordinal == 1 })
            let named = try await store.effects([rows[3].id, Uuid(high: 9, low: 9)], merchant: merchant)
            #expect(named == [rows[3]])
        }
    }
}
