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
            kinds: StreamKind.allCases.filter(\.isTold),
            tables: ["public_event"]
        )
    }

    package func write(_ page: ViewPage) async throws(StoreFailure) -> Bool {
        let open = page.isCut ? try await unfinished(page) : []
        let accounts = try await accounts(of: page)
        var rows: [Row] = []
        for stream in page.streams {
            let events = try readable(stream.name) { () throws(CodecFailure) -> [PublicEvent] in
                try PublicEvent.all(
                    of: stream.name,
                    stream.history,
                    behind: stream.known,
                    isUnfinished: open.contains(stream.name),
                    folds: follower.folds,
                    accounts: accounts
                )
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
        let next = page.streams.map { ($0.name, $0.history.version...$0.history.version + 1) }
        let found = try await follower.streamCache.streams(Dictionary(uniqueKeysWithValues: next))
        return Set(
            page.streams.filter { stream in
                guard let next = found[stream.name]?.last, next.version > stream.history.version else { return false }
                return next.cause == stream.history.last?.cause
            }.map(\.name)
        )
    }

    /// The accounts of a page's saved credentials and batches, whose names, providers and modes they keep for good.
    private func accounts(of page: ViewPage) async throws(StoreFailure) -> [Uuid: AccountFacts] {
        var names: Set<StreamName> = []
        for stream in page.streams {
            guard let first = stream.history.first else { continue }
            let account = try readable(stream.name) { () throws(CodecFailure) -> Uuid? in
                try PublicEvent.account(of: stream.name, first: first)
            }
            if let account { names.insert(StreamName(stream.name.merchant, .account, account)) }
        }
        return try await follower.accounts(names)
    }
}
