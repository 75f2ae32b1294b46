package import EventSourcing
import Kernel
import Postgres

/// A read model that follows the log: its rows are a function of whole streams, and can be made again from nothing.
package protocol FollowedView: Sendable {
    var follower: ViewFollower { get }

    /// Writes the rows of a page and moves the checkpoint in one transaction; false where another follower was there first.
    func write(_ page: ViewPage) async throws(StoreFailure) -> Bool
}

/// A page of the log, with the streams that it is about as they stood at its end.
package struct ViewPage: Sendable {
    package let from: Int64
    package let to: Int64
    /// In the order of the log.
    package let events: [RecordedEvent]
    /// In the order in which rows are locked.
    package let histories: [(stream: StreamName, events: [RecordedEvent])]
}

/// Where a read model follows the log: its checkpoint, its tables and the streams that it is made of.
package struct ViewFollower: Sendable {
    package struct Table: Sendable {
        let name: String
        /// Columns that tell its rows apart.
        let key: String
    }

    /// Events of a page at most.
    package static let page = 500
    /// Positions without events that the checkpoint may stay behind.
    private static let idleStride: Int64 = 1000

    let store: PostgresStore
    let histories: any HistoryReader
    /// Names the checkpoint.
    package let name: String
    /// Raised when the same stream gives other rows.
    let version: Int32
    let kinds: [StreamKind]
    let tables: [Table]

    /// The next page, or `nil` while there is nothing new.
    ///
    /// A row is a function of its whole stream, so a stream is loaded once however many of its events a page holds.
    fileprivate func next() async throws(StoreFailure) -> ViewPage? {
        let from = try await checkpoint()
        let page = try await store.events(of: kinds, after: from, limit: Self.page)
        let isLast = page.rows.count < Self.page
        let to = isLast ? max(page.horizon, from) : page.rows.last?.position ?? from
        // What was drawn without an event moves the checkpoint with the next page that has one, or now and then.
        guard !page.rows.isEmpty || to > from + Self.idleStride else { return nil }
        let newest = Dictionary(page.rows.map { ($0.stream, $0.version) }) { max($0, $1) }
        let found = try await histories.histories(upTo: newest)
        let streams = found.sorted { $0.key < $1.key }.map { (stream: $0.key, events: $0.value) }
        return ViewPage(from: from, to: to, events: page.rows, histories: streams)
    }

    fileprivate func checkpoint() async throws(StoreFailure) -> Int64 {
        try await store.read(
            "SELECT pos FROM paystream.checkpoint WHERE name = $1 AND version = $2 AND lane = 0",
            [.text(name), .int32(version)]
        ) { row throws(PostgresFailure) in try row.int64(0) }.first ?? 0
    }

    fileprivate func drop() async throws(StoreFailure) {
        let all = tables.map { "paystream.\($0.name)" }.joined(separator: ", ")
        // In one transaction, so that no crash leaves an empty view that claims to be ahead; locks as the writers take them.
        try await store.write(
            """
            DO $$ BEGIN
                DELETE FROM paystream.checkpoint WHERE name = '\(name)';
                TRUNCATE \(all);
            END $$
            """,
            []
        )
    }

    fileprivate func fingerprint() async throws(StoreFailure) -> String {
        var parts: [String] = []
        for table in tables {
            let part = try await store.read(
                """
                SELECT count(*) || ':' || coalesce(md5(string_agg(md5(v.*::text), '' ORDER BY \(table.key))), '')
                  FROM paystream.\(table.name) v
                """
            ) { row throws(PostgresFailure) in try row.text(0) }
            parts += part
        }
        return parts.joined(separator: "/")
    }
}

extension FollowedView {
    /// Follows the log by one page; answers how many events it held.
    ///
    /// Of two followers one finds the checkpoint moved and starts again there.
    package func followOnce() async throws(StoreFailure) -> Int {
        guard let page = try await follower.next() else { return 0 }
        _ = try await write(page)
        return page.events.count
    }

    /// How far the view is.
    package func checkpoint() async throws(StoreFailure) -> Int64 { try await follower.checkpoint() }

    /// Empties the view; following builds it again from the log.
    package func drop() async throws(StoreFailure) { try await follower.drop() }

    /// A digest-sized picture of the whole view, for comparing two builds of it.
    package func fingerprint() async throws(StoreFailure) -> String { try await follower.fingerprint() }
}

extension [RecordedEvent] {
    /// Reads a stream's events; one that can't be read stops the follower, and says where.
    func read<Event>(_ make: (String, [UInt8]) throws(CodecFailure) -> Event) throws(StoreFailure) -> [Event] {
        var events: [Event] = []
        for recorded in self {
            do throws(CodecFailure) { events.append(try make(recorded.type, recorded.data)) } catch {
                throw StoreFailure(.corrupt, detail: "\(recorded.stream) event \(recorded.version): \(error.path)")
            }
        }
        return events
    }
}
