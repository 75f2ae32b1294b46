import Api
import Crypto
import EventSourcing
import Kernel
import Payments
import TestKit

/// Keys in memory; two of an administrator are there from the beginning, so that either may go.
final class MemoryAccess: AccessTables {
    private let store: MemoryStore
    private let switches: Switches
    private let kept: Locked<[ApiKey]>
    private static let fault = StoreFailure(.unavailable, detail: "the test switched the tables off")

    /// A key that is there.
    static let known = Uuid(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)

    init(_ store: MemoryStore, _ switches: Switches) {
        self.store = store
        self.switches = switches
        let second = Uuid(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0002)
        kept = Locked([Self.known, second].map { Self.key($0, Scope.allCases.map(\.rawValue), awaits: false) })
    }

    private static func key(_ id: Uuid, _ scopes: [String], awaits: Bool) -> ApiKey {
        let facts = KeyFacts(id: id, name: "known", role: nil, scopes: scopes, networks: [], expiresAt: nil)
        return key(facts, awaits: awaits)
    }

    private static func key(
        _ facts: KeyFacts,
        awaits: Bool,
        oldUntil: Timestamp? = nil,
        revokedAt: Timestamp? = nil
    ) -> ApiKey {
        ApiKey(
            facts: facts,
            createdAt: .epoch,
            revokedAt: revokedAt,
            usedAt: nil,
            oldUntil: oldUntil,
            awaitsApproval: awaits
        )
    }

    func keys(of _: MerchantNumber) async throws(StoreFailure) -> [ApiKey] {
        if switches.readFault { throw Self.fault }
        return kept.withLock { $0 }
    }

    func keep(_ facts: KeyFacts, awaitsApproval: Bool, of _: MerchantNumber) async throws(StoreFailure) -> Secret? {
        kept.withLock { kept in
            guard !kept.contains(where: { $0.facts.id == facts.id }) else { return nil }
            kept.append(Self.key(facts, awaits: awaitsApproval))
            return Secret("psk_new")
        }
    }

    func rotate(_ id: Uuid, endsAt: Timestamp, of _: MerchantNumber) async throws(StoreFailure) -> Secret? {
        change(id) { Self.key($0.facts, awaits: $0.awaitsApproval, oldUntil: endsAt) } ? Secret("psk_rotated") : nil
    }

    func revoke(_ id: Uuid, isForced: Bool, of _: MerchantNumber) async throws(StoreFailure) -> KeyRevocation {
        let others = kept.withLock { kept in
            kept.contains { $0.facts.id != id && $0.revokedAt == nil && $0.facts.scopes.contains("admin") }
        }
        guard others || isForced else { return .last }
        return change(id) { Self.key($0.facts, awaits: false, revokedAt: .epoch) } ? .revoked : .unknown
    }

    func approve(_ id: Uuid, of _: MerchantNumber) async throws(StoreFailure) {
        _ = change(id) { Self.key($0.facts, awaits: false) }
    }

    private func change(_ id: Uuid, _ change: (ApiKey) -> ApiKey) -> Bool {
        kept.withLock { kept in
            guard let index = kept.firstIndex(where: { $0.facts.id == id }) else { return false }
            kept[index] = change(kept[index])
            return true
        }
    }

    func acts(_ query: ActQuery, of merchant: MerchantNumber) async throws(StoreFailure) -> [RecordedEvent] {
        if switches.readFault { throw Self.fault }
        let kinds: Set<StreamKind> = [.account, .routing, .merchant]
        let events = try await store.events(after: 0, limit: .max).rows
        return Array(
            events.filter { $0.stream.merchant == merchant && kinds.contains($0.stream.kind) }.reversed()
                .prefix(query.limit)
        )
    }
}

extension MemoryTables {
    /// `psk_all`, `psk_operator` and `psk_other` may do everything, the last for another merchant; `psk_<scope>` one thing.
    func caller(_ token: Secret) async throws(StoreFailure) -> Caller? {
        if switches.readFault { throw Self.readFault }
        let name = token.withBytes { String(decoding: $0, as: UTF8.self) }.dropFirst("psk_".count)
        let scopes: Set<Scope>
        if ["all", "operator", "other"].contains(name) {
            scopes = Set(Scope.allCases)
        } else if let scope = Scope(rawValue: String(name)) {
            scopes = [scope]
        } else {
            return nil
        }
        return Caller(
            keyId: .version5(namespace: InputNames.namespace, name: String(name)),
            name: String(name),
            merchant: MerchantNumber(name == "other" ? 2 : 1),
            merchantName: "shop",
            scopes: scopes
        )
    }
}
