import Api
import EventSourcing
import Kernel
import Projections
import TestKit

/// The event feed of the memory store, made of its log when it is asked for.
extension MemoryTables {
    /// When the log that is shown here began its newest epoch: an older cursor has lost all.
    static let epoch = Timestamp(seconds: 1_700_000_000)

    private func told(_ merchant: MerchantNumber) async throws(StoreFailure) -> [(PublicEvent, [UInt8])] {
        let log = try await store.events(after: 0, limit: .max).rows.filter {
            $0.stream.merchant == merchant && $0.stream.kind.isTold
        }
        var told: [(PublicEvent, [UInt8])] = []
        for (stream, events) in Dictionary(grouping: log, by: \.stream) {
            let all = try? PublicEvent.all(of: stream, History(events), folds: FoldCache(), accounts: [:])
            for (index, one) in (all ?? []).enumerated() {
                told.append((one, one.body.head + Array("\(index + 1)".utf8) + one.body.tail))
            }
        }
        return told.sorted { Self.position($0.0) < Self.position($1.0) }
    }

    private static func position(_ event: PublicEvent) -> EventPosition {
        EventPosition(event.event.position, event.number)
    }

    func events(_ query: EventQuery, of merchant: MerchantNumber) async throws(StoreFailure) -> EventPage {
        let all = try await told(merchant)
        let newest = all.last.map { Self.position($0.0) } ?? .beginning
        let after = query.after ?? newest
        let found = all.filter { event, _ in
            Self.position(event) > after && (query.types?.contains(event.type.name) ?? true)
                && (query.stream.map { $0 == event.event.stream } ?? true)
        }
        let page = found.prefix(query.limit)
        let isCut = page.count < found.count
        return EventPage(
            rows: page.map { EventPage.Row(position: Self.position($0.0), body: $0.1) },
            end: isCut ? page.last.map { Self.position($0.0) } ?? after : max(after, newest),
            newest: newest,
            log: try await store.events(after: 0, limit: .max).horizon,
            epoch: Self.epoch,
            kept: query.epoch.flatMap { $0 < Self.epoch ? 0 : nil }
        )
    }

    func event(_ id: PublicEventId, of merchant: MerchantNumber) async throws(StoreFailure) -> [UInt8]? {
        try await told(merchant).first { $0.0.id == id }?.1
    }

    func exists(_ stream: StreamName) async throws(StoreFailure) -> Bool {
        try await !store.load([(stream, 0)])[0].isEmpty
    }
}
