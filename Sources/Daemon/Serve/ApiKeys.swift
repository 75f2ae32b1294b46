package import Api
package import Crypto
package import EventSourcing
import Http
package import Kernel
package import Payments
package import Store
import SystemKit

/// API keys as they are made: random, shown once, kept as a keyed hash.
package enum ApiKeys {
    /// Makes a key beside the log, for who has none yet.
    package static func create(
        _ name: String,
        merchant: MerchantNumber,
        scopes: [Scope],
        expiresAt: Timestamp?,
        _ registers: Registers,
        _ ring: KeyRing
    ) async throws(StoreFailure) -> (id: Uuid, token: Secret) {
        let id = SystemRandom().uuid(at: WallClock.now())
        let facts = KeyFacts(
            id: id,
            name: name,
            role: nil,
            scopes: scopes.map(\.rawValue),
            networks: [],
            expiresAt: expiresAt
        )
        guard let token = try await keep(facts, merchant: merchant, registers, ring) else {
            throw StoreFailure(.corrupt, detail: "a random id was there before")
        }
        return (id, token)
    }

    /// Keeps a key under a new token; no token where it is kept already.
    package static func keep(
        _ facts: KeyFacts,
        awaitsApproval: Bool = false,
        merchant: MerchantNumber,
        _ registers: Registers,
        _ ring: KeyRing
    ) async throws(StoreFailure) -> Secret? {
        let (token, hash) = newToken(ring)
        let isNew = try await registers.insertKey(facts, merchant: merchant, hash: hash, awaitsApproval: awaitsApproval)
        return isNew ? token : nil
    }

    /// Gives a key a new token; none where there is no such key.
    package static func rotate(
        _ id: Uuid,
        endsAt: Timestamp,
        of merchant: MerchantNumber,
        _ registers: Registers,
        _ ring: KeyRing
    ) async throws(StoreFailure) -> Secret? {
        let (token, hash) = newToken(ring)
        return try await registers.rotateKey(id, of: merchant, hash: hash, endsAt: endsAt) ? token : nil
    }

    private static func newToken(_ ring: KeyRing) -> (token: Secret, hash: [UInt8]) {
        let token = "psk_" + Base64.encode(SystemRandom().bytes(32), .url)
        return (Secret(token), ring.code(.apiKey, Array(token.utf8)))
    }
}

extension Caller {
    /// The caller of a key that may be used.
    init(_ row: Registers.KeyRow) {
        self.init(
            keyId: row.id,
            name: row.name,
            merchant: row.merchant,
            merchantName: row.merchantName,
            scopes: Scope.held(by: row.scopes),
            networks: row.networks.compactMap { SourceNetwork($0) },
            expiresAt: row.expiresAt,
            isSuspended: row.isSuspended,
            limit: row.limit,
            merchantLimit: row.merchantLimit
        )
    }
}

extension ApiKey {
    package init(_ row: Registers.KeyRow) {
        self.init(
            facts: KeyFacts(
                id: row.id,
                name: row.name,
                role: row.role,
                scopes: row.scopes,
                networks: row.networks,
                expiresAt: row.expiresAt,
                limit: row.limit
            ),
            createdAt: row.createdAt,
            revokedAt: row.revokedAt,
            usedAt: row.usedAt,
            oldUntil: row.oldUntil,
            awaitsApproval: row.awaitsApproval
        )
    }
}
