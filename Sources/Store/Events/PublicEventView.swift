package import EventSourcing
import Kernel
import Payments
import Postgres
import Projections

/// The read model `public_event`: what the event feed and webhooks tell, followed by position and written once.
package struct PublicEventView: FollowedView {
    package var follower: ViewFollower

    package init(_ store: PostgresStore, streamCache: any HistoryReader, folds: FoldCache) {
        follower = ViewFollower(
            store: store,
            streamCache: streamCache,
            folds: folds,
            name: "public_event",
            version: PublicEvent.version,
            kinds: StreamKind.allCases.filter(\.isPayment),
            tables: [ViewFollower.Table(name: "public_event", key: "merchant, position, number")]
        )
    }

    package func write(_ page: ViewPage) async throws(StoreFailure) -> Bool {
        let open = page.isCut ? try await unfinished(page) : []
        var rows: [Row] = []
        for stream in page.streams {
            let events = try readable(stream.name) { () throws(CodecFailure) -> [PublicEvent] in
                try self.events(of: stream, isUnfinished: open.contains(stream.name))
            }
            let first = events.first?.event.version ?? 0
            rows += events.enumerated().map { Row(event: $0.element, ordinal: Int64($0.offset + 1), first: first) }
        }
        let bodies = rows.map(\.event.body)
        let parameters: [PostgresValue] = [
            .int64(page.from), .int64(page.to), .int32(PublicEvent.version),
            .int32s(rows) { $0.event.event.stream.merchant.value }, .int64s(rows) { $0.event.event.position },
            .int16s(rows) { $0.event.number }, .texts(rows) { $0.event.type.name },
            .int16s(rows) { $0.event.event.stream.kind.rawValue }, .uuids(rows) { $0.event.event.stream.id },
            .int32s(rows) { $0.event.event.version }, .int64s(rows) { $0.ordinal }, .int32s(rows) { $0.first },
            .timestamps(rows) { $0.event.event.recordedAt }, .byteArrays(bodies) { $0.head },
            .byteArrays(bodies) { $0.tail },
        ]
        return try await follower.store.write(
            "SELECT \(follower.schema).public_event_apply(\(parameterMarks(parameters.count)))",
            parameters
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }

    private struct Row {
        let event: PublicEvent
        /// Among those of its stream on the page, from 1.
        let ordinal: Int64
        /// The version of the first of those.
        let first: Int32
    }

    /// Streams whose last decision goes on behind the page: it is told with its end.
    private func unfinished(_ page: ViewPage) async throws(StoreFailure) -> Set<StreamName> {
        let newest = page.streams.map { ($0.name, $0.history.version + 1) }
        let found = try await follower.streamCache.streams(upTo: Dictionary(uniqueKeysWithValues: newest))
        return Set(
            page.streams.filter { stream in
                guard let next = found[stream.name]?.last, next.version > stream.history.version else { return false }
                return next.cause == stream.history.last?.cause
            }.map(\.name)
        )
    }

    private func events(of stream: ViewPage.Stream, isUnfinished: Bool) throws(CodecFailure) -> [PublicEvent] {
        var told: [PublicEvent] = []
        switch stream.name.kind {
        case .payment, .transfer:
            let createdAt = stream.history.first?.recordedAt ?? .epoch
            try stream.decisions(follower.folds, isUnfinished) { last, before, after in
                told += PublicEvent.all(last, from: before, to: after, createdAt: createdAt)
            }
        case .instrument, .schedule, .billBatch, .bill, .chunk, .account, .routing, .webhookEndpoint, .merchant,
            .arrivals:
            break
        }
        return told
    }
}

extension ViewPage.Stream {
    /// Tells the decisions that end on the page: the last event of each, and the states before and after it.
    fileprivate func decisions<State: Aggregate>(
        _ folds: FoldCache,
        _ isUnfinished: Bool,
        _ each: (_ last: RecordedEvent, _ before: State, _ after: State) -> Void
    ) throws(CodecFailure) {
        let all = history.events
        guard var begin = all.firstIndex(where: { $0.version > known }) else { return }
        // One that began on an earlier page is told here.
        while begin > all.startIndex, all[begin - 1].cause == all[begin].cause { begin -= 1 }
        var firsts: Set<Int32> = []
        var lasts: Set<Int32> = []
        for index in all.indices[begin...] {
            if index == all.startIndex || all[index - 1].cause != all[index].cause { firsts.insert(all[index].version) }
            let isEnd = index + 1 < all.endIndex ? all[index + 1].cause != all[index].cause : !isUnfinished
            if isEnd { lasts.insert(all[index].version) }
        }
        var begun: State?
        let _: State = try folds.fold(
            name,
            history,
            behind: all[begin].version - 1,
            where: { firsts.contains($0.version) || lasts.contains($0.version) }
        ) { event, before, after in
            if firsts.contains(event.version) { begun = before }
            if lasts.contains(event.version), let begun { each(event, begun, after) }
        }
    }
}
