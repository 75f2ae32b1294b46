package import EventSourcing
package import Kernel
import Postgres

/// Merchants' dunning policies by name and version, as stored documents.
package struct DunningRows: Sendable {
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// The newest version of each, by name.
    package func newest(of merchant: MerchantNumber) async throws(StoreFailure) -> [Json] {
        try await documents(
            "SELECT DISTINCT ON (name) document FROM paystream.dunning_policy WHERE merchant = $1 ORDER BY name, version DESC",
            [.int32(merchant.value)]
        )
    }

    /// The newest version of one.
    package func newest(named name: String, of merchant: MerchantNumber) async throws(StoreFailure) -> Json? {
        try await documents(
            """
            SELECT document FROM paystream.dunning_policy WHERE merchant = $1 AND name = $2
             ORDER BY version DESC LIMIT 1
            """,
            [.int32(merchant.value), .text(name)]
        ).first
    }

    /// Keeps a version; false where another one took its number.
    package func keep(
        _ document: Json,
        named name: String,
        version: Int,
        by actor: String,
        of merchant: MerchantNumber
    ) async throws(StoreFailure) -> Bool {
        try await store.write(
            """
            INSERT INTO paystream.dunning_policy (merchant, name, version, document, kept_by)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING true
            """,
            [
                .int32(merchant.value), .text(name), .int32(Int32(clamping: version)), .json(document.canonical),
                .text(actor),
            ]
        ) { row throws(PostgresFailure) in try row.bool(0) }.first ?? false
    }

    private func documents(_ sql: String, _ values: [PostgresValue]) async throws(StoreFailure) -> [Json] {
        try await store.read(sql, values) { row throws(PostgresFailure) in
            (try? Json(try row.bytes(0))) ?? .null
        }
    }
}
