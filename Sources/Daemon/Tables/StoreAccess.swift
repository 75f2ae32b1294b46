import Api
import Crypto
import EventSourcing
import Kernel
import Payments
import Store

/// Keys in PostgreSQL, and what administrators did.
struct StoreAccess: AccessTables {
    private let registers: Registers
    private let rows: AuditRows
    /// `nil` where no key can be made.
    private let ring: KeyRing?

    init(_ store: PostgresStore, _ ring: KeyRing?) {
        registers = Registers(store)
        rows = AuditRows(store)
        self.ring = ring
    }

    func keys(of merchant: MerchantNumber) async throws(StoreFailure) -> [ApiKey] {
        try await registers.keys(of: merchant).map { ApiKey($0) }
    }

    func keep(_ facts: KeyFacts, awaitsApproval: Bool, of merchant: MerchantNumber) async throws(StoreFailure)
        -> Secret?
    {
        try await ApiKeys.keep(facts, awaitsApproval: awaitsApproval, merchant: merchant, registers, try known())
    }

    func rotate(_ id: Uuid, endsAt: Timestamp, of merchant: MerchantNumber) async throws(StoreFailure) -> Secret? {
        try await ApiKeys.rotate(id, endsAt: endsAt, of: merchant, registers, try known())
    }

    func revoke(_ id: Uuid, isForced: Bool, of merchant: MerchantNumber) async throws(StoreFailure) -> KeyRevocation {
        switch try await registers.revokeKey(id, of: merchant, isForced: isForced) {
        case .revoked: .revoked
        case .unknown: .unknown
        case .last: .last
        }
    }

    func approve(_ id: Uuid, of merchant: MerchantNumber) async throws(StoreFailure) {
        try await registers.approveKey(id, of: merchant)
    }

    func acts(_ query: ActQuery, of merchant: MerchantNumber) async throws(StoreFailure) -> [RecordedEvent] {
        try await rows.acts(
            of: merchant,
            before: query.before,
            actor: query.actor,
            kind: query.kind,
            from: query.from,
            to: query.to,
            limit: query.limit
        )
    }

    private func known() throws(StoreFailure) -> KeyRing {
        guard let ring else { throw StoreFailure(.unavailable, detail: "no master key: no key can be made") }
        return ring
    }
}
