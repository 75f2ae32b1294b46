package import EventSourcing
import Kernel
package import Postgres

/// One follower's place: its name, the version of what it builds, and its lane.
package struct CheckpointName: Hashable, Sendable {
    package let name: String
    package let version: Int32
    package let lane: Int16

    package init(_ name: String, version: Int32, lane: Int16 = 0) {
        self.name = name
        self.version = version
        self.lane = lane
    }

    fileprivate var values: [PostgresValue] { [.text(name), .int32(version), .int16(lane)] }
}

/// A follower's place in the hands of one node until the lease ends.
package struct CheckpointClaim: Hashable, Sendable {
    package let name: CheckpointName
    package let position: Int64
    package let fence: Int64

    package init(name: CheckpointName, position: Int64, fence: Int64) {
        self.name = name
        self.position = position
        self.fence = fence
    }
}

/// Places of followers, moved in the follower's own transaction.
package struct CheckpointRows: Sendable {
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// Takes a place, or `nil` while another owner's lease lasts; a new one starts at zero.
    package func claim(
        _ name: CheckpointName,
        owner: String,
        lease: Duration
    ) async throws(StoreFailure) -> CheckpointClaim? {
        let sql = """
            INSERT INTO paystream.checkpoint AS c (name, version, lane, owner, fence, lease_until)
            VALUES ($1, $2, $3, $4, nextval('paystream.fence_seq'),
                    statement_timestamp() + $5 * interval '1 microsecond')
            ON CONFLICT (name, version, lane) DO UPDATE
                SET owner = EXCLUDED.owner, fence = EXCLUDED.fence, lease_until = EXCLUDED.lease_until
                WHERE c.owner = EXCLUDED.owner OR c.lease_until <= statement_timestamp()
            RETURNING pos, fence
            """
        let values = name.values + [.text(owner), .int64(lease.wholeMicroseconds)]
        return try await store.write(sql, values) { row throws(PostgresFailure) in
            CheckpointClaim(name: name, position: try row.int64(0), fence: try row.int64(1))
        }.first
    }

    /// Extends the lease; answers false when the place was taken by another.
    package func extend(_ claim: CheckpointClaim, lease: Duration) async throws(StoreFailure) -> Bool {
        let sql = """
            UPDATE paystream.checkpoint SET lease_until = statement_timestamp() + $5 * interval '1 microsecond'
             WHERE name = $1 AND version = $2 AND lane = $3 AND fence = $4 RETURNING pos
            """
        let values = claim.name.values + [.int64(claim.fence), .int64(lease.wholeMicroseconds)]
        return try await !store.write(sql, values) { row throws(PostgresFailure) in try row.int64(0) }.isEmpty
    }

    /// Moves a place inside the follower's transaction; answers false when the transaction must be rolled back.
    package static func advance(
        _ claim: CheckpointClaim,
        to position: Int64,
        on connection: isolated PostgresConnection
    ) throws(PostgresFailure) -> Bool {
        let moved = try connection.execute(
            """
            UPDATE paystream.checkpoint SET pos = $5
             WHERE name = $1 AND version = $2 AND lane = $3 AND fence = $4 AND pos = $6
            """,
            claim.name.values + [.int64(claim.fence), .int64(position), .int64(claim.position)]
        )
        return moved == 1
    }

    /// Reads a place without taking it.
    package func position(_ name: CheckpointName) async throws(StoreFailure) -> Int64? {
        try await store.read(
            "SELECT pos FROM paystream.checkpoint WHERE name = $1 AND version = $2 AND lane = $3",
            name.values
        ) { row throws(PostgresFailure) in try row.int64(0) }.first
    }

    /// Sets a place back to the start, for a rebuild; whoever held it is fenced out.
    package static func reset(
        _ name: CheckpointName,
        on connection: isolated PostgresConnection
    ) throws(PostgresFailure) {
        try connection.execute(
            """
            UPDATE paystream.checkpoint SET pos = 0, fence = nextval('paystream.fence_seq'), lease_until = '-infinity'
             WHERE name = $1 AND version = $2 AND lane = $3
            """,
            name.values
        )
    }
}
