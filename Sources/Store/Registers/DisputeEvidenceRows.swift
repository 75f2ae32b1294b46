package import EventSourcing
package import Kernel
import Postgres
package import Projections

/// The register of files about disputes.
package struct DisputeEvidenceRows: Sendable {
    private let store: PostgresStore
    private static let columns = "id, dispute, digest, media_type, bytes, name, added_at, added_by"

    package init(_ store: PostgresStore) { self.store = store }

    /// Keeps a file where its dispute has room, and gives the one that is kept of its digest; `nil` where there is none.
    package func keep(_ evidence: DisputeEvidence, content: Json, of merchant: MerchantNumber)
        async throws(StoreFailure) -> DisputeEvidence?
    {
        try await store.write(
            """
            INSERT INTO paystream.dispute_evidence
                (merchant, id, dispute, digest, media_type, bytes, name, content, added_at, added_by)
            SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
             WHERE (SELECT count(*) FROM paystream.dispute_evidence e WHERE e.merchant = $1 AND e.dispute = $3) < $11
            ON CONFLICT DO NOTHING
            """,
            [
                .int32(merchant.value), .uuid(evidence.id), .uuid(evidence.dispute.uuid), .bytes(evidence.digest),
                .text(evidence.mediaType), .int32(Int32(clamping: evidence.bytes)), .json(evidence.name.canonical),
                .json(content.canonical), .timestamp(evidence.addedAt), .text(evidence.addedBy),
                .int64(Int64(DisputeEvidence.perDispute)),
            ]
        )
        return try await all(of: evidence.dispute, merchant).first { $0.digest == evidence.digest }
    }

    /// The files about a dispute, the oldest first.
    package func all(of dispute: DisputeId, _ merchant: MerchantNumber) async throws(StoreFailure) -> [DisputeEvidence]
    {
        try await store.read(
            """
            SELECT \(Self.columns) FROM paystream.dispute_evidence WHERE merchant = $1 AND dispute = $2
             ORDER BY added_at, id
            """,
            [.int32(merchant.value), .uuid(dispute.uuid)]
        ) { row throws(PostgresFailure) in try Self.read(row) }
    }

    /// A file and its sealed content.
    package func one(_ id: Uuid, of dispute: DisputeId, _ merchant: MerchantNumber) async throws(StoreFailure)
        -> (evidence: DisputeEvidence, content: Json)?
    {
        try await store.read(
            """
            SELECT \(Self.columns), content FROM paystream.dispute_evidence
             WHERE merchant = $1 AND dispute = $2 AND id = $3
            """,
            [.int32(merchant.value), .uuid(dispute.uuid), .uuid(id)]
        ) { row throws(PostgresFailure) in
            (evidence: try Self.read(row), content: (try? Json(try row.bytes(8))) ?? .null)
        }.first
    }

    private static func read(_ row: borrowing PostgresRow) throws(PostgresFailure) -> DisputeEvidence {
        DisputeEvidence(
            id: try row.uuid(0),
            dispute: DisputeId(try row.uuid(1)),
            digest: try row.bytes(2),
            mediaType: try row.text(3),
            bytes: Int(try row.int32(4)),
            name: (try? Json(try row.bytes(5))) ?? .null,
            addedAt: try row.timestamp(6),
            addedBy: try row.text(7)
        )
    }
}
