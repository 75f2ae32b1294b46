import EventSourcing
import Kernel
import Postgres
import Store

/// A merchant's books for one bench, on a database without a daemon.
struct BenchBooks: Sendable {
    let store: PostgresStore
    let pool: PostgresPool
    let merchant: MerchantNumber

    /// Makes everything, and takes it down behind `body`.
    static func with(_ plan: BenchPlan, _ body: @Sendable (BenchBooks) async throws -> Void) async throws {
        try await BenchDatabase.with(plan) { database in
            let options = PostgresOptions(address: database.address, statementTimeout: .seconds(1800))
            let pool = PostgresPool(options, limit: 2)
            let store = PostgresStore(pool)
            let merchant = try await Registers(store).makeMerchant(named: "bench").number
            try await body(BenchBooks(store: store, pool: pool, merchant: merchant))
            await pool.drain()
        }
    }
}
