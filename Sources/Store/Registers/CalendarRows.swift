package import EventSourcing
package import Kernel
import Postgres

/// Tables of holidays by name and version, as stored documents.
package struct CalendarRows: Sendable {
    package struct Row: Hashable, Sendable {
        package let name: String
        package let version: Int
        package let document: Json
        package let adoptedAt: Timestamp
    }

    private let store: PostgresStore
    private static let columns = "name, version, document, adopted_at"

    package init(_ store: PostgresStore) { self.store = store }

    /// The version that holds.
    package func newest(named name: String) async throws(StoreFailure) -> Row? {
        try await rows("WHERE name = $1 ORDER BY version DESC LIMIT 1", [.text(name)]).first
    }

    package func row(named name: String, version: Int) async throws(StoreFailure) -> Row? {
        try await rows("WHERE name = $1 AND version = $2", [.text(name), .int32(Int32(clamping: version))]).first
    }

    /// Every calendar in the version that holds.
    package func newest() async throws(StoreFailure) -> [Row] {
        try await rows(
            "c WHERE NOT EXISTS (SELECT FROM paystream.business_calendar n WHERE n.name = c.name AND n.version > c.version) ORDER BY name",
            []
        )
    }

    /// Every version of every calendar.
    package func all() async throws(StoreFailure) -> [Row] { try await rows("ORDER BY name, version", []) }

    /// Keeps a document as the next version, unless the newest one is the same; answers the version that holds.
    package func put(_ document: Json, named name: String) async throws(StoreFailure) -> Row? {
        if let known = try await newest(named: name), known.document == document { return known }
        try await store.write(
            """
            INSERT INTO paystream.business_calendar (name, version, document)
            SELECT $1, coalesce(max(version), 0) + 1, $2 FROM paystream.business_calendar WHERE name = $1
            """,
            [.text(name), .json(document.canonical)]
        )
        return try await newest(named: name)
    }

    private func rows(_ condition: String, _ values: [PostgresValue]) async throws(StoreFailure) -> [Row] {
        try await store.read("SELECT \(Self.columns) FROM paystream.business_calendar \(condition)", values) {
            row throws(PostgresFailure) in
            Row(
                name: try row.text(0),
                version: Int(try row.int32(1)),
                document: (try? Json(try row.bytes(2))) ?? .null,
                adoptedAt: try row.timestamp(3)
            )
        }
    }
}
