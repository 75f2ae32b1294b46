package import EventSourcing
import Kernel
import Postgres

/// Leases on what one node does for all: keeping partitions, sweeping, sealing.
package struct RoleRows: Sendable {
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// Takes or keeps a role; answers its fence, or `nil` while another node holds it.
    package func claim(_ role: String, owner: String, lease: Duration) async throws(StoreFailure) -> Int64? {
        let fences = try await store.write(
            "SELECT paystream.claim_role($1, $2, $3)",
            [.text(role), .text(owner), .int64(lease.wholeMicroseconds)]
        ) { row throws(PostgresFailure) -> Int64? in row.isNull(0) ? nil : try row.int64(0) }
        return fences.first ?? nil
    }

    /// Gives a role back early; a lost one is ignored.
    package func release(_ role: String, owner: String) async throws(StoreFailure) {
        try await store.write(
            "UPDATE paystream.role_lease SET lease_until = statement_timestamp() WHERE role = $1 AND owner = $2",
            [.text(role), .text(owner)]
        )
    }
}
