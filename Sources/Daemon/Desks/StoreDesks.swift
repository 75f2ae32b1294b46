package import Api
package import Crypto
import Engine
package import EventSourcing
package import Http
package import HttpClient
package import Kernel
import Payments
package import Store

/// Proves API keys by a keyed hash; the database holds no key.
package struct StoreKeyDesk: KeyDesk {
    package let registers: Registers
    package let ring: KeyRing
    package let cache = KeyCache()

    package func caller(_ token: Secret) async throws(ReadFailure) -> Caller? {
        let hashes = token.withBytes { ring.codes(.apiKey, $0) }
        guard let newest = hashes.first else { return nil }
        if let known = cache.fresh(newest) { return known }
        do throws(StoreFailure) {
            guard let row = try await registers.usableKey(hashes: hashes) else { return nil }
            let caller = Caller(
                keyId: row.id,
                name: row.name,
                merchant: row.merchant,
                merchantName: row.merchantName,
                scopes: Set(row.scopes.compactMap(Scope.init(rawValue:)))
            )
            cache.keep(caller, newest)
            return caller
        } catch {
            throw ReadFailure(error.detail)
        }
    }
}

/// Proved keys for a few seconds; a revoked key works no longer than that.
package final class KeyCache: Sendable {
    private struct Known: Sendable {
        let caller: Caller
        let readAt: ContinuousClock.Instant
    }

    private let known = Locked(GenerationCache<[UInt8], Known>(capacity: KeyCache.capacity))
    private static let freshness = Duration.seconds(2)
    private static let capacity = 10_000

    package func fresh(_ hash: [UInt8]) -> Caller? {
        guard let entry = known.withLock({ $0.find(hash) }), entry.readAt.duration(to: .now) < Self.freshness else {
            return nil
        }
        return entry.caller
    }

    package func keep(_ caller: Caller, _ hash: [UInt8]) {
        known.withLock { $0.keep(Known(caller: caller, readAt: .now), of: hash) }
    }
}

/// Subject keys, the quarantine shelf and access records over their tables.
package struct StoreDesks: SubjectKeyStore, Quarantine, AccessLog {
    package let registers: Registers
    package let ring: KeyRing

    package init(registers: Registers, ring: KeyRing) {
        self.registers = registers
        self.ring = ring
    }
    /// Originals are a convenience for disputes about what was received.
    private static let originalsKept = Duration.seconds(7 * 86_400)
    private static let quarantineKept = Duration.seconds(30 * 86_400)

    package func key(of subject: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey? {
        try await registers.subjectKey(of: subject, merchant)
    }

    package func key(id: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey? {
        try await registers.subjectKey(id: id, merchant)
    }

    package func insert(_ key: WrappedSubjectKey, merchant: MerchantNumber) async throws(StoreFailure)
        -> WrappedSubjectKey?
    {
        try await registers.insertSubjectKey(key, merchant)
        return try await registers.subjectKey(of: key.subject, merchant)
    }

    package func keepOriginal(_ sealed: [UInt8], input: Uuid, merchant: MerchantNumber) async throws(StoreFailure) {
        try await registers.keepOriginal(sealed, input: input, merchant, for: Self.originalsKept)
    }

    /// JSON keeps its shape with card data cut out; other bytes are kept only where there is none.
    private static func withoutCardData(_ body: [UInt8]) -> [UInt8] {
        let (clean, findings) = CardGuard.redact(bytes: body)
        return findings.isEmpty || (try? Json(body)) != nil ? clean : []
    }

    /// Shelves what was refused, sealed under the master key: a forged message may hold somebody's personal data, too.
    package func keep(_ request: HttpRequest, source: String, reason: String) async {
        let kept = Self.withoutCardData(request.body)
        let body = SealedQuarantine.seal(Secret(kept), ring)
        let meta: Json = ["bytes": .integer(Int64(request.body.count)), "method": .string(request.method.rawValue)]
        try? await registers.shelve(source: source, reason: reason, meta: meta, body: body, for: Self.quarantineKept)
    }

    package func record(_ what: String, _ stream: StreamName, key: String) async throws(ReadFailure) {
        do throws(StoreFailure) {
            try await registers.recordAccess(what, stream: stream, actor: key)
        } catch {
            throw ReadFailure(error.detail)
        }
    }
}

/// The wire as the engine knows it.
package struct CurlTransport: Transport {
    package let client: HttpClient

    package func send(_ request: OutgoingRequest, aboutToSend: @escaping @Sendable () -> Bool) async -> ExchangeOutcome
    {
        await client.send(request, aboutToSend: aboutToSend)
    }
}
