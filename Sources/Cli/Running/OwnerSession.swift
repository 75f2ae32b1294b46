import Api
import Crypto
import Daemon
import EventSourcing
import Kernel
import Payments
import Postgres
import Store
import SystemKit
import Telemetry

/// A database and its master key in the hands of their owner.
struct OwnerSession: Sendable {
    let store: PostgresStore
    let registers: Registers
    let ring: KeyRing
    let proof: MasterKeyProof
    private let administration: Administration

    /// Connections that a command needs at most.
    private static let connections = 3

    /// Opens what the environment or `.paystream/dev.env` names, and closes it behind `body`.
    static func with<Value>(_ body: (OwnerSession) async throws -> Value) async throws -> Value {
        let configuration = try DaemonConfiguration.fromEnvironment()
        let ring = try MasterKeyFile.read(configuration.masterKeyFile)
        let pool = PostgresPool(PostgresOptions(address: configuration.database), limit: connections)
        let store = PostgresStore(pool)
        let log = Logger(sink: SilentSink(), now: { WallClock.now() })
        let session = OwnerSession(
            store: store,
            registers: Registers(store),
            ring: ring,
            proof: MasterKeyProof(ring: ring, file: configuration.masterKeyFile),
            administration: .detached(store, ring, log: log)
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

    /// Puts an act of the owner into the log.
    func act(_ command: MerchantCommand, on merchant: MerchantNumber) async throws {
        do { try await administration.act(command, on: merchant) } catch let failure as Administration.Failure {
            throw CommandFailure(failure.what)
        }
    }

    /// The merchant that `--merchant` names, or the standard one; nothing makes one by the way.
    func merchant(_ given: String?) async throws -> (number: MerchantNumber, name: String) {
        let name = given ?? standardMerchant
        if let number = try await registers.knownMerchant(named: name) { return (number, name) }
        throw CommandFailure(MerchantNames.unknown(name, among: try await registers.merchants().map(\.name)))
    }
}

/// What is said where no merchant has a name.
enum MerchantNames {
    private static let most = 10

    static func unknown(_ name: String, among known: [String]) -> String {
        guard !known.isEmpty else {
            return "there is no merchant '\(name)', nor any other; 'paystream merchants create \(name)' makes it"
        }
        let near = known.map { ($0, EditDistance.between($0, name)) }.min { $0.1 < $1.1 }
        let hint = near.flatMap { $0.1 <= 2 ? "; did you mean '\($0.0)'?" : nil } ?? "."
        let more = known.count > most ? " and \(known.count - most) more" : ""
        return "there is no merchant '\(name)'\(hint) There are: \(known.prefix(most).joined(separator: ", "))\(more); "
            + "'paystream merchants create' makes one"
    }
}

/// A command of the owner says what it has to say itself.
private struct SilentSink: LogSink {
    func write(_ line: [UInt8]) {}
}
