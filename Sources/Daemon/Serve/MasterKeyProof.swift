package import Crypto
import EventSourcing
import Kernel
package import Store
import SystemKit

/// Holds the master key file against the keys that sealed in a database: with another one nothing could be opened, and
/// what is sealed from then on could not be opened by anybody else.
package struct MasterKeyProof {
    private static let message = Array("paystream master key".utf8)

    package let ring: KeyRing
    package let file: String

    package init(ring: KeyRing, file: String) {
        self.ring = ring
        self.file = file
    }

    /// Refuses a file that lacks a key of this database, and makes the newest one known.
    package func hold(_ rows: InstallationRows) async throws {
        try await check(rows)
        try await rows.keep(masterKeyProof: ring.code(.proof, Self.message))
    }

    /// Whether a daemon was started with the newest key, so that one at least can open what is sealed under it.
    package func knowsNewest(_ rows: InstallationRows) async throws -> Bool {
        try await rows.masterKeyProofs().contains(ring.code(.proof, Self.message))
    }

    /// Refuses a file that lacks a key of this database.
    package func check(_ rows: InstallationRows) async throws {
        let ours = Set(ring.codes(.proof, Self.message))
        // Before the first proof the API keys tell: each is led by its master key's tag.
        let tags = Set(ours.map { Array($0.prefix(KeyRing.tagBytes)) })
        let proofs = try await rows.masterKeyProofs()
        let used = try await rows.apiKeyTags(bytes: Int32(KeyRing.tagBytes))
        guard proofs.allSatisfy(ours.contains), used.allSatisfy(tags.contains) else {
            throw UsageError(
                "this database was sealed under a master key that '\(file)' does not hold: nothing is done with another one; "
                    + "name the right file in PAYSTREAM_MASTER_KEY_FILE, where every key that ever sealed stays"
            )
        }
    }
}
