import Api
import EventSourcing
import Kernel
import Store

/// Merchants' own clocks out of the database; who owns one is known for a second, what it shows is always asked.
final class StoreClocks: MerchantClocks {
    private let rows: ClockRows
    private let owners = Locked<(set: Set<MerchantNumber>, readAt: ContinuousClock.Instant)?>(nil)
    private static let freshness = Duration.seconds(1)

    init(_ rows: ClockRows) { self.rows = rows }

    func reading(of merchant: MerchantNumber) async throws(StoreFailure) -> Timestamp? {
        guard try await isOwner(merchant) else { return nil }
        return try await rows.clock(of: merchant)?.at
    }

    func travel() async throws(StoreFailure) -> ClockTravel { try await rows.travel() }

    private func isOwner(_ merchant: MerchantNumber) async throws(StoreFailure) -> Bool {
        if let known = owners.withLock({ $0 }), known.readAt.duration(to: .now) < Self.freshness {
            return known.set.contains(merchant)
        }
        let found = try await rows.owners()
        owners.withLock { $0 = (found, .now) }
        return found.contains(merchant)
    }

    // MARK: Kept by the API

    func clock(of merchant: MerchantNumber) async throws(StoreFailure) -> ClockState? {
        guard let clock = try await rows.clock(of: merchant) else { return nil }
        let waits = clock.target == nil ? [] : try await rows.waits(of: merchant)
        return ClockState(at: clock.at, target: clock.target, steps: clock.steps, waits: waits)
    }

    func own(_ merchant: MerchantNumber, from start: Timestamp) async throws(StoreFailure) -> Bool {
        defer { owners.withLock { $0 = nil } }
        return try await rows.own(merchant, from: start)
    }

    func send(_ merchant: MerchantNumber, to target: Timestamp) async throws(StoreFailure) -> Bool {
        try await rows.send(merchant, to: target)
    }
}
