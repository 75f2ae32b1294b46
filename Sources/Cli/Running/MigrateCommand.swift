import Daemon
import Postgres
import Store
import SystemKit

/// `paystream migrate`: brings the schema to what this program needs.
struct MigrateCommand: Command {
    static let name = "migrate"
    static let summary = "Bring the database's schema to what this program needs; safe to repeat."
    static let usage = "[--cell N]"
    static let options = [
        CommandOption("cell", value: "N", summary: "number merchants from N × 1 000 000 + 1 (default: 0, or as it is)")
    ]

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        try given.demand(words: 0)
        let cell = try given.integer("cell", in: 0...2146).map(Int32.init)
        let configuration = try DaemonConfiguration.fromEnvironment()
        let options = PostgresOptions(address: configuration.database)
        let migrator = Migrator(options)
        let pool = PostgresPool(options, limit: 1)
        let rows = InstallationRows(PostgresStore(pool))
        // Whoever migrates may do without the key; with one it must be the right one.
        let proof = (try? MasterKeyFile.read(configuration.masterKeyFile)).map {
            MasterKeyProof(ring: $0, file: configuration.masterKeyFile)
        }
        let report: Migrator.Report
        do {
            if try await migrator.currentVersion() >= Migrator.firstWithProof { try await proof?.check(rows) }
            report = try await migrator.run(cell: cell)
            try await migrator.installRoles()
            try await proof?.hold(rows)
            await pool.drain()
        } catch {
            await pool.drain()
            throw error
        }
        let change = report.from == report.to ? "is at \(report.to)" : "went from \(report.from) to \(report.to)"
        StandardStream.output.write("schema \(change), cell \(report.cell)\n")
        return 0
    }
}
