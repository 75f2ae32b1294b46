import Api
import Daemon
import Engine
import EventSourcing
import Kernel
import Postgres
import Store
import SystemKit

/// A database in the hands of a command that reads or checks it; no daemon is composed.
struct StoreSession: Sendable {
    let configuration: DaemonConfiguration
    let pool: PostgresPool
    let store: PostgresStore
    let registers: Registers
    let views: ReadModels

    /// Connections that a command needs at most: `replay views` holds two transactions while its copy is followed.
    private static let connections = 3

    /// Opens what the environment or `.paystream/dev.env` names, and closes it behind `body`.
    static func with<Value>(_ body: (StoreSession) async throws -> Value) async throws -> Value {
        let configuration = try DaemonConfiguration.fromEnvironment()
        let options = PostgresOptions(address: configuration.database, statementTimeout: .seconds(120))
        let pool = PostgresPool(options, limit: connections)
        let store = PostgresStore(pool)
        let streamCache = StreamCache(store: store) { () async throws(StoreFailure) in
            // What only reads begins no epoch.
            try await RecoveryRows(store).epochs(limit: 1).first?.epoch
        }
        let session = StoreSession(
            configuration: configuration,
            pool: pool,
            store: store,
            registers: Registers(store),
            views: ReadModels(store, streamCache: streamCache)
        )
        do {
            try await Node.checkSchema(configuration)
            let value = try await body(session)
            await pool.drain()
            return value
        } catch {
            await pool.drain()
            throw error
        }
    }

    /// What the API reads, over this session.
    var reader: Reader { .detached(store, registers) }

    /// The merchant that `--merchant` names.
    func merchant(_ name: String?) async throws -> MerchantNumber {
        let name = name ?? standardMerchant
        guard let number = try await registers.knownMerchant(named: name) else {
            throw UsageError(MerchantNames.unknown(name, among: try await registers.merchants().map(\.name)))
        }
        return number
    }
}

/// The merchant of `paystream dev`.
let standardMerchant = "demo"
