package import EventSourcing
package import Kernel
import Postgres

/// A stream that a read model can't show, and why.
struct BrokenStream: Sendable {
    let name: StreamName
    let reason: String
}

/// How a read model stands behind the log.
package struct ViewStanding: Hashable, Sendable {
    /// Events that the view has not read, as far as they were counted.
    package let unread: Int64
    /// How long the oldest of them waits.
    package let lag: Duration
    /// Streams that were set aside: their rows stay as they were until the view is built again.
    package let aside: [StreamAside]
    /// The version of another program that is shown: nothing is followed until this program's is built.
    package let otherVersion: Int32?
}

/// A stream that was set aside by a read model.
package struct StreamAside: Hashable, Sendable {
    package let merchant: MerchantNumber
    package let stream: Uuid
    package let reason: String
    package let at: Timestamp
}

extension MerchantKey {
    init(_ stream: StreamName) { self.init(merchant: stream.merchant, id: stream.id) }
}

extension ViewFollower {
    /// Streams at most that a standing names.
    private static let named: Int32 = 100

    /// Ids of the streams that were set aside.
    func setAside() async throws(StoreFailure) -> Set<MerchantKey> {
        Set(
            try await store.read(
                "SELECT merchant, stream FROM \(schema).view_quarantine WHERE view = $1",
                [.text(name)]
            ) { row throws(PostgresFailure) in
                MerchantKey(merchant: MerchantNumber(try row.int32(0)), id: try row.uuid(1))
            }
        )
    }

    /// Sets streams aside behind the position that shows them last; whoever watches the view hears of them.
    func setAside(_ broken: [BrokenStream], at position: Int64) async throws(StoreFailure) {
        guard !broken.isEmpty else { return }
        let names = broken.map(\.name)
        try await store.write(
            """
            INSERT INTO \(schema).view_quarantine (view, merchant, stream, stream_kind, pos, reason)
            SELECT $1, b.merchant, b.stream, b.kind, $2, b.reason
              FROM unnest($3::int[], $4::uuid[], $5::int[], $6::text[]) AS b (merchant, stream, kind, reason)
            ON CONFLICT DO NOTHING
            """,
            [
                .text(name), .int64(position), .int32s(names.map(\.merchant.value)), .uuids(names.map(\.id)),
                .int32s(names.map { Int32($0.kind.rawValue) }), .texts(broken.map(\.reason)),
            ]
        )
    }

    /// How the view stands; the log behind its checkpoint is counted as far as all figures are.
    package func standing() async throws(StoreFailure) -> ViewStanding {
        let waiting = try await store.read(
            "SELECT events, oldest FROM paystream.follower_lag($1, $2, $3, $4)",
            [.text(name), .int32(version), .int16s(kinds.map(\.rawValue)), .int32(FigureRows.most)]
        ) { row throws(PostgresFailure) in (try row.int64(0), Duration.microseconds(try row.int64(1))) }.first
        let aside = try await store.read(
            """
            SELECT merchant, stream, reason, at FROM paystream.view_quarantine
             WHERE view = $1 ORDER BY at DESC, merchant, stream LIMIT $2
            """,
            [.text(name), .int32(Self.named)]
        ) { row throws(PostgresFailure) in
            StreamAside(
                merchant: MerchantNumber(try row.int32(0)),
                stream: try row.uuid(1),
                reason: try row.text(2),
                at: try row.timestamp(3)
            )
        }
        let shown = try await shown()
        return ViewStanding(
            unread: waiting?.0 ?? 0,
            lag: waiting?.1 ?? .zero,
            aside: aside,
            otherVersion: shown?.version == version ? nil : shown?.version
        )
    }
}
