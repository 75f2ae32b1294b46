package import EventSourcing

/// Builds a view again from the log, beside the one that is read, and puts it in its place when it stands.
package enum ViewRebuild {
    package enum Outcome: Hashable, Sendable {
        /// The count of rows and a digest of them all.
        case identical(String)
        case different(before: String, after: String)
        /// Somebody kept writing: every round met another log.
        case unsettled
        /// Another version is shown: its rows are others by right.
        case otherVersion(shown: Int32)
    }

    private static let rounds = 5

    package static func run(_ view: any FollowedView, _ store: PostgresStore) async throws(StoreFailure) -> Outcome {
        if let shown = try await view.follower.shown(), shown.version != view.follower.version {
            return .otherVersion(shown: shown.version)
        }
        for _ in 0..<rounds {
            // Taken before anything is compared: whatever is written later moves it and starts another round.
            let start = try await store.horizon()
            while try await view.followOnce() > 0 {}
            let before = try await view.fingerprint()
            let projection = Projection(view, schema: "paystream_rebuild")
            _ = try await projection.drop()
            try await projection.build()
            let after = try await projection.fingerprint()
            _ = try await projection.swap()
            if before == after { return .identical(after) }
            if try await store.horizon() == start { return .different(before: before, after: after) }
        }
        return .unsettled
    }
}
