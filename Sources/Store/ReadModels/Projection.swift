package import EventSourcing
import Postgres

/// How far a copy of a read model is.
package struct BuildProgress: Sendable {
    /// Events that this run has read.
    package let events: Int
    /// The position of the log that the copy has come to, and that of the log's end.
    package let position: Int64
    package let end: Int64
}

/// The versions of a read model: the one that is shown, and the one that is built beside it.
///
/// A copy has a schema of its own, with the same tables, the same function and a checkpoint at the log's beginning. The one that is
/// shown is followed and read meanwhile. The copy takes its place for everybody at once.
package struct Projection: Sendable {
    package struct Standing: Sendable {
        package let name: String
        /// The version that this program makes.
        package let version: Int32
        package let shown: ShownVersion?
        package let view: ViewStanding
        /// The copy, where there is one.
        package let next: ShownVersion?
        /// The end of the log.
        package let end: Int64
    }

    private let view: any FollowedView
    private let schema: String
    private var follower: ViewFollower { view.follower }
    private var store: PostgresStore { follower.store }

    /// So long transactions are waited for that began before a swap.
    private static let patience = Duration.seconds(300)

    package init(_ view: any FollowedView) { self.init(view, schema: "paystream_next_\(view.follower.name)") }

    /// A transaction looks at every row of large tables, and rests while the copy is followed: for minutes, and not for ever.
    private static let patient =
        "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '10min'"

    /// With its copy in a schema of that name.
    init(_ view: any FollowedView, schema: String) {
        self.view = view
        self.schema = schema
    }

    package var name: String { follower.name }

    private var copy: any FollowedView {
        var copy = view
        copy.follower = follower.beside(schema)
        return copy
    }

    package func standing() async throws(StoreFailure) -> Standing {
        Standing(
            name: name,
            version: follower.version,
            shown: try await follower.shown(),
            view: try await follower.standing(),
            next: try await exists() ? try await copy.follower.shown() ?? ShownVersion.none(follower.version) : nil,
            end: try await store.horizon()
        )
    }

    /// The version that is shown and the copy, asked in short statements of single rows; a daemon's login may.
    package func versions() async throws(StoreFailure) -> (shown: ShownVersion?, next: ShownVersion?) {
        let shown = try await follower.shown()
        guard try await exists() else { return (shown, nil) }
        // A swap or a drop may come between the two looks: then there is no copy any more.
        do throws(StoreFailure) {
            return (shown, try await copy.follower.shown() ?? ShownVersion.none(follower.version))
        } catch { return (try await follower.shown(), nil) }
    }

    /// Builds a copy up to the log's end, or goes on with the one that an earlier run began.
    package func build(_ tell: (BuildProgress) -> Void = { _ in }) async throws(StoreFailure) {
        try await makeRoom()
        let copy = copy
        var events = 0
        try await approachEnd { end throws(StoreFailure) in
            var position = try await copy.checkpoint()
            while position < end {
                let read = try await copy.followOnce()
                guard read > 0 else { return }
                events += read
                position = try await copy.checkpoint()
                tell(BuildProgress(events: events, position: position, end: max(end, position)))
            }
        }
    }

    /// Has the copy brought to the log's end, and to what came meanwhile, as long as each time a tenth less is left: a log may grow
    /// faster than the copy follows.
    private func approachEnd(_ follow: (_ end: Int64) async throws(StoreFailure) -> Void) async throws(StoreFailure) {
        var most = Int64.max
        while true {
            let end = try await store.horizon()
            let left = end - (try await copy.checkpoint())
            guard left > 0, left <= most else { return }
            try await follow(end)
            most = left - max(1, left / 10)
        }
    }

    /// Puts the copy in the place of what is shown, in one transaction; false where there is none.
    ///
    /// Nobody sees a row go back: the copy is as far as what is shown, or it doesn't take its place.
    package func swap() async throws(StoreFailure) -> Bool {
        guard try await exists() else { return false }
        let copy = copy
        try await approachEnd { end throws(StoreFailure) in try await copy.follow(to: end) }
        for table in follower.tables { try await store.write("ANALYZE \(schema).\(table.name)", []) }
        try await awaitEarlierOnes()
        try await approachEnd { end throws(StoreFailure) in try await copy.follow(to: end) }
        try await moveIn()
        return true
    }

    /// Throws the copy away; false where there is none.
    package func drop() async throws(StoreFailure) -> Bool {
        guard try await exists() else { return false }
        try await store.write("DROP SCHEMA IF EXISTS \(schema) CASCADE", [])
        return true
    }

    /// The rows that are shown and those of the copy at the same position of the log, each as the count of its rows and a digest of
    /// them all.
    ///
    /// What is shown stands still until the copy has come up to it; from then on both are looked at as they were at that moment. It
    /// takes three connections at once.
    package func pictures() async throws(StoreFailure) -> (shown: String, copy: String) {
        precondition(store.pool.limit >= 3, "two transactions, and a connection for the copy's pages")
        let copy = copy
        // Nobody else follows the copy, so it is not ahead after this.
        let position = try await copy.checkpoint()
        try await view.follow(to: position)
        guard try await follower.events(behind: view.checkpoint(), to: position) == 0 else {
            throw StoreFailure(.retry, detail: "\(name) has not come up to its copy")
        }
        let sql = "SELECT \(follower.picture), \(copy.follower.picture)"
        do throws(PostgresFailure) {
            let pictures = try await store.pool.transaction { connection async throws(PostgresFailure) in
                try await connection.script(
                    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; \(Self.patient)"
                )
                try await whileShownRests { _ async throws(PostgresFailure) in try await connection.script("SELECT 1") }
                return try await connection.query(sql, []) { row throws(PostgresFailure) in
                    (shown: try row.text(0), copy: try row.text(1))
                }.first
            }
            guard let pictures else { throw PostgresFailure(.decode, detail: "no picture") }
            return pictures
        } catch {
            throw StoreFailure(error, mayHaveCommitted: false)
        }
    }

    /// Runs a step in a transaction while the followers of what is shown stand still, and the copy has come up to it however fast the
    /// log grows.
    private func whileShownRests(_ step: @Sendable (isolated PostgresConnection) async throws(PostgresFailure) -> Void)
        async throws(PostgresFailure)
    {
        let copy = copy
        let (name, version) = (name, follower.version)
        try await store.pool.transaction { connection async throws(PostgresFailure) in
            // As long as it takes: readers wait for nothing but the last step.
            try await connection.script(Self.patient)
            // The checkpoint first, as the writers take it: where there is none yet, nothing would be held against the first of them.
            try await connection.execute(
                "INSERT INTO paystream.checkpoint (name, version) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                [.text(name), .int32(version)]
            )
            let shown = try await connection.query(
                "SELECT pos FROM paystream.checkpoint WHERE name = $1 FOR UPDATE",
                [.text(name)]
            ) { row throws(PostgresFailure) in try row.int64(0) }.first
            do throws(StoreFailure) { try await copy.follow(exactlyTo: shown ?? 0) } catch {
                throw PostgresFailure(.lost, detail: "\(name) can't follow: \(error.detail)")
            }
            try await step(connection)
        }
    }

    private func exists() async throws(StoreFailure) -> Bool {
        // Asked of the catalogue, since a name in a schema that the login may not use is an error.
        try await store.read(
            """
            SELECT EXISTS (
                SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname = $1 AND c.relname = 'checkpoint' AND has_schema_privilege(n.oid, 'USAGE'))
            """,
            [.text(schema)]
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }

    /// What a copy is made of: one that was begun for another version, or before a migration, is begun anew.
    private var label: String {
        "version \(follower.version) of \(name), schema \(SchemaFiles.migrations.last?.version ?? 0)"
    }

    private func makeRoom() async throws(StoreFailure) {
        try await store.write(
            "SELECT paystream.copy_room($1, $2, $3, $4, $5)",
            [
                .text(schema), .text(label), .texts(follower.tables.map(\.name)), .texts(follower.counts.map(\.name)),
                .text("\(name)_apply"),
            ]
        )
    }

    /// Waits until every transaction has ended that began before the copy had come to the log's end: what such a one sees of the copy is
    /// older than what it saw of the tables whose place the copy takes.
    private func awaitEarlierOnes() async throws(StoreFailure) {
        let earlier =
            try await store.read(
                """
                SELECT coalesce(array_agg(l.virtualtransaction), '{}')::text FROM pg_locks l
                  JOIN pg_stat_activity a ON a.pid = l.pid AND a.datname = current_database()
                   AND a.backend_type IS DISTINCT FROM 'autovacuum worker'
                 WHERE l.locktype = 'virtualxid' AND l.granted AND l.mode = 'ExclusiveLock' AND l.pid <> pg_backend_pid()
                """
            ) { row throws(PostgresFailure) in try row.text(0) }.first ?? "{}"
        let begun = ContinuousClock.now
        while true {
            let left =
                try await store.read(
                    """
                    SELECT count(*) FROM pg_locks l
                     WHERE l.locktype = 'virtualxid' AND l.granted AND l.mode = 'ExclusiveLock'
                       AND l.virtualtransaction = ANY ($1::text::text[])
                    """,
                    [.text(earlier)]
                ) { row throws(PostgresFailure) in try row.int64(0) }.first ?? 0
            guard left > 0 else { return }
            guard begun.duration(to: .now) < Self.patience else {
                throw StoreFailure(.retry, detail: "a transaction that began before the copy was ready has not ended")
            }
            do { try await Task.sleep(for: .milliseconds(50)) } catch {
                throw StoreFailure(.retry, detail: "given up while transactions were waited for")
            }
        }
    }

    /// Lets the copy's tables take the place of those that everybody reads.
    private func moveIn() async throws(StoreFailure) {
        let (name, schema, carriers) = (name, schema, follower.carriers)
        let tables = (follower.tables + follower.counts).map(\.name)
        do throws(PostgresFailure) {
            try await whileShownRests { connection async throws(PostgresFailure) in
                try await connection.script(
                    """
                    DELETE FROM paystream.checkpoint WHERE name = '\(name)';
                    INSERT INTO paystream.checkpoint SELECT * FROM \(schema).checkpoint;
                    DELETE FROM paystream.view_quarantine WHERE view = '\(name)';
                    INSERT INTO paystream.view_quarantine SELECT * FROM \(schema).view_quarantine;
                    """
                )
                var isLost = false
                if let carriers {
                    isLost =
                        try await connection.query("SELECT paystream.\(carriers.before)($1)", [.text(schema)]) {
                            row throws(PostgresFailure) in try row.bool(0)
                        }.first ?? false
                }
                try await connection.execute("SELECT paystream.copy_swap($1, $2)", [.text(schema), .texts(tables)])
                if let carriers, isLost { try await connection.execute("SELECT paystream.\(carriers.behind)()") }
                try await connection.script("DROP SCHEMA \(schema) CASCADE")
            }
        } catch {
            throw StoreFailure(error, mayHaveCommitted: true)
        }
    }
}

extension ShownVersion {
    /// A version that has no page yet.
    fileprivate static func none(_ version: Int32) -> ShownVersion { ShownVersion(version: version, position: 0) }
}
