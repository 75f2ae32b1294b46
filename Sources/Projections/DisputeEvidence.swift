package import Kernel

/// A file that a merchant lays before the bank about a dispute.
package struct DisputeEvidence: Hashable, Sendable {
    package let id: Uuid
    package let dispute: DisputeId
    /// SHA-256 of its bytes: the same file is kept once.
    package let digest: [UInt8]
    package let mediaType: String
    package let bytes: Int
    /// Sealed under the payer's key.
    package let name: Json
    package let addedAt: Timestamp
    package let addedBy: String

    package init(
        id: Uuid,
        dispute: DisputeId,
        digest: [UInt8],
        mediaType: String,
        bytes: Int,
        name: Json,
        addedAt: Timestamp,
        addedBy: String
    ) {
        self.id = id
        self.dispute = dispute
        self.digest = digest
        self.mediaType = mediaType
        self.bytes = bytes
        self.name = name
        self.addedAt = addedAt
        self.addedBy = addedBy
    }

    /// Files about one dispute.
    package static let perDispute = 20
}
