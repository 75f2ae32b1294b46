package import Crypto
import Engine
package import EventSourcing
package import Http
package import Kernel
import Payments
package import Store

/// Keeps payers' keys, originals and what was refused in their tables.
package struct SubjectRows: SubjectKeyStore, Quarantine {
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

    package func erasures() async throws(StoreFailure) -> Int64 { try await registers.erasures() }

    package func keepOriginals(_ originals: [SealedOriginal]) async throws(StoreFailure) {
        try await registers.keepOriginals(originals, for: Self.originalsKept)
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
        try? await registers.quarantine(
            source: source,
            reason: reason,
            meta: meta,
            body: body,
            for: Self.quarantineKept
        )
    }
}
