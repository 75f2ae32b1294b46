package import Api
package import Crypto
import Engine
package import EventSourcing
package import Kernel
package import Store
import SystemKit

/// API keys as they are made: random, shown once, kept as a keyed hash.
package enum ApiKeys {
    package static func create(
        _ name: String,
        merchant: MerchantNumber,
        scopes: [Scope],
        expiresAt: Timestamp?,
        _ registers: Registers,
        _ ring: KeyRing
    ) async throws(StoreFailure) -> (id: Uuid, token: Secret) {
        let random = SystemRandom()
        let token = "psk_" + Base64.encode(random.bytes(32), .url)
        let id = random.uuid(at: WallClock.now())
        try await registers.insertKey(
            id: id,
            merchant: merchant,
            name: name,
            hash: ring.code(.apiKey, Array(token.utf8)),
            scopes: scopes.map(\.rawValue),
            expiresAt: expiresAt
        )
        return (id, Secret(token))
    }
}
