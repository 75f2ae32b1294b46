package import EventSourcing

/// Builds a view again from the log, beside the one that is read, and puts it in its place when it stands.
package enum ViewRebuild {
    package enum Outcome: Hashable, Sendable {
        /// The count of rows and a digest of them all.
        case identical(String)
        case different(before: String, after: String)
        /// Another version is shown: its rows are others by right.
        case otherVersion(shown: Int32)
    }

    package static func run(_ view: any FollowedView, _ store: PostgresStore) async throws(StoreFailure) -> Outcome {
        if let shown = try await view.follower.shown(), shown.version != view.follower.version {
            return .otherVersion(shown: shown.version)
        }
        let projection = Projection(view, schema: "paystream_rebuild")
        _ = try await projection.drop()
        try await projection.build()
        let (shown, copy) = try await projection.pictures()
        _ = try await projection.swap()
        return shown == copy ? .identical(copy) : .different(before: shown, after: copy)
    }
}
