package import EventSourcing

/// Builds a view again from the log, beside the one that is read, and puts it in its place when it stands.
package enum ViewRebuild {
    package enum Outcome: Hashable, Sendable {
        /// The count of rows and a digest of them all.
        case identical(String)
        case different(before: String, after: String)
        /// Somebody kept writing: the two never stood at the same place of the log.
        case unsettled
        /// Another version is shown: its rows are others by right.
        case otherVersion(shown: Int32)
    }

    /// So long the two are brought to the same place of a log that grows.
    private static let patience = Duration.seconds(60)

    package static func run(_ view: any FollowedView, _ store: PostgresStore) async throws(StoreFailure) -> Outcome {
        if let shown = try await view.follower.shown(), shown.version != view.follower.version {
            return .otherVersion(shown: shown.version)
        }
        let projection = Projection(view, schema: "paystream_rebuild")
        _ = try await projection.drop()
        try await projection.build()
        let pictures = try await pictures(view, projection)
        _ = try await projection.swap()
        guard let pictures else { return .unsettled }
        return pictures.shown == pictures.copy
            ? .identical(pictures.copy) : .different(before: pictures.shown, after: pictures.copy)
    }

    /// The rows of both at the same place of the log, for which a moment between two commits is enough.
    private static func pictures(_ view: any FollowedView, _ projection: Projection) async throws(StoreFailure)
        -> (shown: String, copy: String)?
    {
        let begun = ContinuousClock.now
        repeat {
            while try await view.followOnce() > 0 {}
            try await projection.build()
            if let pictures = try await projection.pictures() { return pictures }
        } while begun.duration(to: .now) < patience
        return nil
    }
}
