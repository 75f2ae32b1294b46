package import EventSourcing
import Kernel
import Payments
import Postgres

/// A read model that follows the log: its rows are a function of whole streams, and can be made again from nothing.
package protocol FollowedView: Sendable {
    var follower: ViewFollower { get set }

    /// Writes the rows of a page and moves the checkpoint in one transaction; false where another follower was there first.
    func write(_ page: ViewPage) async throws(StoreFailure) -> Bool
}

/// A page of the log: the streams that it is about, as they stood at its end.
package struct ViewPage: Sendable {
    package struct Stream: Sendable {
        package let name: StreamName
        package let history: History
        /// The version behind which the page begins.
        package let known: Int32

        /// The stream's events on the page.
        package var events: ArraySlice<RecordedEvent> { history.events(behind: known) }

        /// Folds the stream and tells the wanted events of the page with the states before and after each.
        func fold<State: Aggregate>(
            _ folds: FoldCache,
            where isWanted: (RecordedEvent) -> Bool = { _ in true },
            _ each: (RecordedEvent, _ before: State, _ after: State) -> Void
        ) throws(CodecFailure) -> State {
            try folds.fold(name, history, behind: known, where: isWanted, each)
        }
    }

    package let from: Int64
    package let to: Int64
    /// Whether the log goes on behind the page: its last events may be the first ones of a decision.
    package let isCut: Bool
    /// In the order in which rows are locked.
    package let streams: [Stream]

    /// One stream of the page, which moves the checkpoint nowhere.
    fileprivate func only(_ stream: StreamName) -> ViewPage {
        ViewPage(from: from, to: from, isCut: isCut, streams: streams.filter { $0.name == stream })
    }

    /// No row, and the checkpoint moved.
    fileprivate func empty(to place: Int64) -> ViewPage {
        ViewPage(from: from, to: place, isCut: isCut, streams: [])
    }
}

/// What a follower knows of its view: it wrote the checkpoint last, or it knows nothing and looks.
///
/// The stored checkpoint comes with every page that is read. Where it is another one, as after a restore, a server's crash or
/// a view that was built again, what is known is forgotten.
final class ViewProgress: Sendable {
    private let checkpoint = Locked<(position: Int64, isSound: Bool)?>(nil)

    /// The checkpoint, and whether no stream stands aside.
    var known: (position: Int64, isSound: Bool)? {
        get { checkpoint.withLock { $0 } }
        set { checkpoint.withLock { $0 = newValue } }
    }
}

/// A version of a read model, and the position of the log that it has come to.
package struct ShownVersion: Hashable, Sendable {
    package let version: Int32
    package let position: Int64
}

/// Where a read model follows the log: its checkpoint, its tables and the streams that it is made of.
package struct ViewFollower: Sendable {
    package struct Table: Sendable, ExpressibleByStringLiteral {
        let name: String
        /// A condition: the rows that are a function of the log.
        let derived: String

        init(_ name: String, where derived: String = "true") {
            self.name = name
            self.derived = derived
        }

        package init(stringLiteral name: String) { self.init(name) }
    }

    /// A stream that a page of the log is about.
    private struct StreamChange: Sendable {
        let stream: StreamName
        /// The versions of its first and its last event on the page.
        let first: Int32
        let last: Int32
        /// Its events on the page, and the position of the last one.
        let events: Int
        let position: Int64
    }

    /// A page of the log, and the streams of it that can't be shown.
    fileprivate struct Reading {
        let page: ViewPage
        let broken: [BrokenStream]
        /// Whether no stream stood aside before.
        let wasSound: Bool
        /// Events of the page, those of broken streams too.
        let count: Int
    }

    /// Events of a page at most.
    package static let page = 500
    /// Of a copy that is built, whose pages are far from the log's end.
    private static let largePage = 4000
    /// Positions without events that the checkpoint may stay behind.
    private static let idleStride: Int64 = 1000

    let store: PostgresStore
    let streamCache: any HistoryReader
    /// States of the streams.
    let folds: FoldCache
    /// Names the checkpoint.
    package let name: String
    /// Raised when the same stream gives other rows; the new version is then built beside the one that is shown.
    package let version: Int32
    let kinds: [StreamKind]
    let tables: [Table]
    /// Tables that triggers count those rows in.
    var counts: [Table] = []
    /// Functions of the schema that carry along what names the view's rows when a copy takes their place: the one before that is called with
    /// the copy's schema, and the other one where its answer is true.
    var carriers: (before: String, behind: String)?
    private(set) var progress = ViewProgress()
    /// Where the view is: in its own place, or beside it while it is built again.
    private(set) var schema = "paystream"
    var pageSize = Self.page

    /// The next page, or `nil` while there is nothing new.
    ///
    /// A row is a function of its whole stream, so a stream is loaded once however many of its events a page holds. While another
    /// version is shown, nothing is followed: its rows stay as they are.
    fileprivate func next() async throws(StoreFailure) -> Reading? {
        let known = progress.known
        let from: Int64
        if let known {
            from = known.position
        } else {
            let shown = try await shown()
            guard shown == nil || shown?.version == version else { return nil }
            from = shown?.position ?? 0
        }
        let (page, stored) = try await changes(behind: from)
        if known != nil, stored != from {
            progress.known = nil
            return try await next()
        }
        let count = page.rows.reduce(0) { $0 + $1.events }
        let isLast = count < pageSize
        let to = isLast ? max(page.horizon, from) : page.rows.map(\.position).max() ?? from
        // What was drawn without an event moves the checkpoint with the next page that has one, or now and then.
        guard count > 0 || to > from + Self.idleStride else { return nil }
        let isSound = count == 0 || known?.isSound == true
        let aside = isSound ? [] : try await setAside()
        let changes = page.rows.filter { !aside.contains(MerchantKey($0.stream)) }.sorted { $0.stream < $1.stream }
        let (found, unread) = try await read(
            Dictionary(uniqueKeysWithValues: changes.map { ($0.stream, $0.first - 1...$0.last) })
        )
        var sound: [ViewPage.Stream] = []
        var broken = unread
        for change in changes {
            guard let history = found[change.stream] else { continue }
            if let reason = Self.flaw(of: change.stream, history, at: change.last) {
                broken.append(BrokenStream(name: change.stream, reason: reason))
            } else {
                sound.append(ViewPage.Stream(name: change.stream, history: history, known: change.first - 1))
            }
        }
        return Reading(
            page: ViewPage(from: from, to: to, isCut: !isLast, streams: sound),
            broken: broken,
            wasSound: aside.isEmpty && (known?.isSound == true || count > 0),
            count: count
        )
    }

    /// The streams that the next page of the log is about, and the stored checkpoint.
    ///
    /// Their events are known already, or are read with their streams.
    private func changes(behind place: Int64) async throws(StoreFailure)
        -> (page: LogPage<StreamChange>, checkpoint: Int64?)
    {
        let sql = """
            SELECT merchant, stream_kind, stream, first_ver, last_ver, events, last_pos, horizon,
                   CASE WHEN horizon IS NOT NULL THEN
                       (SELECT c.pos FROM \(schema).checkpoint c WHERE c.name = $4 AND c.version = $5)
                   END
              FROM paystream.read_changes($1, $2, $3)
            """
        let values: [PostgresValue] = [
            .int32s(kinds.map { Int32($0.rawValue) }), .int64(place), .int64(Int64(pageSize)), .text(name),
            .int32(version),
        ]
        let rows = try await store.read(sql, values) {
            row throws(PostgresFailure) -> (change: StreamChange?, horizon: Int64, checkpoint: Int64?) in
            guard row.isNull(7) else { return (nil, try row.int64(7), row.isNull(8) ? nil : try row.int64(8)) }
            let change = StreamChange(
                stream: try row.stream(at: 0),
                first: try row.int32(3),
                last: try row.int32(4),
                events: Int(try row.int64(5)),
                position: try row.int64(6)
            )
            return (change, 0, nil)
        }
        guard let last = rows.last, last.change == nil else { throw StoreFailure(.corrupt, detail: "no horizon") }
        return (LogPage(rows: rows.compactMap(\.change), horizon: last.horizon), last.checkpoint)
    }

    /// The streams of a page; those that can't be read are told apart, each by a look of its own.
    private func read(_ wanted: [StreamName: ClosedRange<Int32>]) async throws(StoreFailure)
        -> (found: [StreamName: History], broken: [BrokenStream])
    {
        do throws(StoreFailure) { return (try await streamCache.streams(wanted), []) } catch {
            guard error.isAboutData else { throw error }
        }
        var found: [StreamName: History] = [:]
        var broken: [BrokenStream] = []
        for (stream, versions) in wanted {
            do throws(StoreFailure) {
                found[stream] = try await streamCache.streams([stream: versions])[stream]
            } catch {
                guard error.isAboutData else { throw error }
                broken.append(BrokenStream(name: stream, reason: error.detail))
            }
        }
        return (found, broken)
    }

    /// Why a history is none that a row could be made of.
    private static func flaw(of stream: StreamName, _ history: History, at version: Int32?) -> String? {
        if let stranger = history.events.first(where: { $0.stream.kind != stream.kind }) {
            return "event \(stranger.version) was written for a \(stranger.stream.kind)"
        }
        guard history.last?.version == version else { return "event \(version ?? 0) belongs to no \(stream.kind)" }
        guard history.isContiguous else { return "events before event \(version ?? 0) are missing" }
        return nil
    }

    /// The same in another schema, of which nothing is known yet.
    func beside(_ schema: String) -> Self {
        var copy = self
        copy.schema = schema
        copy.progress = ViewProgress()
        copy.pageSize = Self.largePage
        return copy
    }

    /// The version that is there, and how far it is; none before its first page.
    func shown() async throws(StoreFailure) -> ShownVersion? {
        try await store.read("SELECT version, pos FROM \(schema).checkpoint WHERE name = $1", [.text(name)]) {
            row throws(PostgresFailure) in
            ShownVersion(version: try row.int32(0), position: try row.int64(1))
        }.first
    }

    /// An expression: the count of each table's rows and a digest of them all, in whichever order they lie.
    ///
    /// Digests of the rows in 4096 parts by their first digits: one text of them all would be longer than a value may be.
    var picture: String {
        (tables + counts).map { table in
            """
            (SELECT coalesce(sum(p.rows), 0) || ':' || coalesce(md5(string_agg(p.digest, '' ORDER BY p.part)), '')
               FROM (SELECT left(r.digest, 3) AS part, count(*) AS rows, md5(string_agg(r.digest, '' ORDER BY r.digest)) AS digest
                       FROM (SELECT md5(v.*::text) AS digest FROM \(schema).\(table.name) v WHERE \(table.derived)) r
                      GROUP BY 1) p)
            """
        }.joined(separator: " || '/' || ")
    }

    /// Events of its kinds between two positions, one page of them at most.
    func events(behind position: Int64, to end: Int64) async throws(StoreFailure) -> Int {
        try await store.read(
            """
            SELECT count(*) FROM (
                SELECT FROM paystream.event e WHERE e.stream_kind = ANY ($1::int[]) AND e.pos > $2 AND e.pos <= $3
                 ORDER BY e.pos LIMIT $4) p
            """,
            [
                .int32s(kinds.map { Int32($0.rawValue) }), .int64(position), .int64(end), .int64(Int64(pageSize)),
            ]
        ) { row throws(PostgresFailure) in Int(try row.int64(0)) }.first ?? 0
    }
}

extension FollowedView {
    /// Follows the log by one page; answers how many events it held.
    ///
    /// Of two followers one finds the checkpoint moved and starts again there. A stream that can't be shown is set aside, and
    /// every other one is followed.
    package func followOnce() async throws(StoreFailure) -> Int {
        guard let reading = try await follower.next() else { return 0 }
        let page = reading.page
        try await follower.setAside(reading.broken, at: page.from)
        follower.progress.known = nil
        do throws(StoreFailure) {
            if try await write(page) {
                follower.progress.known = (page.to, reading.wasSound && reading.broken.isEmpty)
            }
        } catch {
            guard error.isAboutData else { throw error }
            try await writeOneByOne(page)
        }
        return reading.count
    }

    /// Writes each stream alone, so that what one of them breaks stops no other.
    private func writeOneByOne(_ page: ViewPage) async throws(StoreFailure) {
        // Where not even nothing can be written, no stream is to blame.
        guard try await write(page.empty(to: page.from)) else { return }
        var broken: [BrokenStream] = []
        for stream in page.streams.map(\.name) {
            do throws(StoreFailure) {
                _ = try await write(page.only(stream))
            } catch {
                guard error.isAboutData else { throw error }
                broken.append(BrokenStream(name: stream, reason: error.detail))
            }
        }
        try await follower.setAside(broken, at: page.from)
        _ = try await write(page.empty(to: page.to))
    }

    /// Follows the log to a position at least, or to the log's end where that comes before it.
    package func follow(to position: Int64) async throws(StoreFailure) {
        while try await checkpoint() < position, try await followOnce() > 0 {}
    }

    /// Brings the view to where the log ends now, however fast it grows meanwhile.
    package func catchUp() async throws(StoreFailure) { try await follow(to: follower.store.horizon()) }

    /// Follows the log to the last event of its kinds that lies no further than a position, and not beyond it.
    func follow(exactlyTo position: Int64) async throws(StoreFailure) {
        var view = self
        while true {
            let events = try await follower.events(behind: checkpoint(), to: position)
            guard events > 0 else { return }
            view.follower.pageSize = events
            guard try await view.followOnce() > 0 else {
                throw StoreFailure(.retry, detail: "\(follower.name) could not be followed to \(position)")
            }
        }
    }

    /// How far the view is.
    package func checkpoint() async throws(StoreFailure) -> Int64 { try await follower.shown()?.position ?? 0 }
}

/// Reads a stream; where an event can't be read, the failure says where it is.
func readable<Value>(_ stream: StreamName, _ read: () throws(CodecFailure) -> Value) throws(StoreFailure) -> Value {
    do throws(CodecFailure) { return try read() } catch {
        throw StoreFailure(.corrupt, detail: "\(stream) \(error.path)")
    }
}

extension ViewFollower {
    /// What accounts keep for good, by their first events: however often one was configured, no more is read.
    func accounts(_ streams: Set<StreamName>) async throws(StoreFailure) -> [Uuid: AccountFacts] {
        guard !streams.isEmpty else { return [:] }
        let sorted = streams.sorted()
        var known: [Uuid: AccountFacts] = [:]
        for (name, first) in zip(sorted, try await store.load(sorted.map { ($0, 0) }, atMost: 1)) {
            known[name.id] = Account.fold(name.id, try first.read(AccountEvent.self)).facts
        }
        return known
    }
}

extension [RecordedEvent] {
    /// Reads a stream's events; one that can't be read says where it is.
    func read<Event: StoredEvent>(_: Event.Type) throws(StoreFailure) -> [Event] {
        do throws(CodecFailure) { return try decoded() } catch {
            throw StoreFailure(.corrupt, detail: "\(first.map { "\($0.stream) " } ?? "")\(error.path)")
        }
    }
}
