package import EventSourcing

/// Builds a view again from the log, beside the one that is read, and puts it in its place when it stands.
package enum ViewRebuild {
    package enum Outcome: Hashable, Sendable {
        /// The count of rows and a digest of them all.
        case identical(String)
        case different(before: String, after: String)
        /// Somebody kept writing: every round met another log.
        case unsettled
    }

    private static let rounds = 5

    package static func run(_ view: some FollowedView, _ store: PostgresStore) async throws(StoreFailure) -> Outcome {
        for _ in 0..<rounds {
            // Taken before anything is compared: whatever is written later moves it and starts another round.
            let start = try await store.horizon()
            try await catchUp(view)
            let before = try await view.fingerprint()
            let copy = try await view.beside()
            try await catchUp(copy)
            let after = try await copy.fingerprint()
            try await copy.adopt()
            if before == after { return .identical(after) }
            if try await store.horizon() == start { return .different(before: before, after: after) }
        }
        return .unsettled
    }

    /// Follows until the view has come to where the log ends now; a follower elsewhere may do a part.
    private static func catchUp(_ view: some FollowedView) async throws(StoreFailure) {
        while try await view.followOnce() > 0 {}
    }
}

extension FollowedView {
    /// An empty copy of the view, in a schema of its own: same tables, same function, a checkpoint at the log's beginning.
    fileprivate func beside() async throws(StoreFailure) -> Self {
        var copy = self
        copy.follower = copy.follower.beside("paystream_rebuild")
        try await copy.follower.makeRoom()
        return copy
    }

    /// Puts the rows of a copy in the view's place, for everybody at once.
    fileprivate func adopt() async throws(StoreFailure) { try await follower.moveIn() }
}

extension ViewFollower {
    fileprivate func makeRoom() async throws(StoreFailure) {
        let all = ["checkpoint", "view_quarantine"] + tables.map(\.name)
        let made = all.map { "CREATE TABLE \(schema).\($0) (LIKE paystream.\($0) INCLUDING ALL);" }
        try await store.write(
            """
            DO $room$ BEGIN
                DROP SCHEMA IF EXISTS \(schema) CASCADE;
                CREATE SCHEMA \(schema);
                \(made.joined(separator: "\n"))
                -- The very function, with the copy's tables.
                EXECUTE replace(pg_get_functiondef('paystream.\(name)_apply'::regproc), 'paystream.', '\(schema).');
            END $room$
            """,
            []
        )
    }

    fileprivate func moveIn() async throws(StoreFailure) {
        // Deleted and not truncated: who reads meanwhile sees the old rows.
        let moved = tables.map { table in
            "DELETE FROM paystream.\(table.name); INSERT INTO paystream.\(table.name) SELECT * FROM \(schema).\(table.name);"
        }
        try await store.write(
            """
            DO $move$ BEGIN
                -- The checkpoint first, as the writers take it.
                DELETE FROM paystream.checkpoint WHERE name = '\(name)';
                INSERT INTO paystream.checkpoint SELECT * FROM \(schema).checkpoint;
                DELETE FROM paystream.view_quarantine WHERE view = '\(name)';
                INSERT INTO paystream.view_quarantine SELECT * FROM \(schema).view_quarantine;
                \(moved.joined(separator: "\n"))
                DROP SCHEMA \(schema) CASCADE;
            END $move$
            """,
            []
        )
    }
}
