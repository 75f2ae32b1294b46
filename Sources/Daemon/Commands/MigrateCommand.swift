import Postgres
import Store

/// `paystream migrate`: brings the schema to what this program needs.
struct MigrateCommand: Command {
    static let name = "migrate"
    static let summary = "Bring the database's schema to what this program needs; safe to repeat."
    static let usage = ""

    func run(arguments: [String]) async throws -> Int32 {
        try parse(arguments).demandNoRest()
        let configuration = try DaemonConfiguration.fromEnvironment()
        let migrator = Migrator(PostgresOptions(address: configuration.database))
        let report = try await migrator.run()
        try await migrator.installRoles()
        let change = report.from == report.to ? "is at \(report.to)" : "went from \(report.from) to \(report.to)"
        StandardStream.output.write("schema \(change)\n")
        return 0
    }
}
