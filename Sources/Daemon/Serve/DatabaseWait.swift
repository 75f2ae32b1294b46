import Kernel
import Postgres
package import Telemetry

/// Waits for a database that is away when the daemon starts, as after a restart of both.
package enum DatabaseWait {
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(5)
    /// Failures that time does not mend; a server that speaks another language is waited for.
    private static let final = ["password authentication failed", "does not exist", "no pg_hba.conf entry"]

    /// Returns once the database takes connections; throws what the last attempt said when patience ends.
    package static func wait(_ configuration: DaemonConfiguration, _ log: Logger) async throws {
        let options = PostgresOptions(address: configuration.database)
        let deadline = ContinuousClock.now + configuration.databasePatience
        var pause = firstPause
        while true {
            do throws(PostgresFailure) {
                await (try await PostgresConnection.connect(options)).close()
                return
            } catch {
                let left = deadline - .now
                guard error.code == .connect, left > .zero, !final.contains(where: error.detail.contains) else {
                    throw error
                }
                log.warning(
                    "the database is away; waiting for it",
                    ["detail": .text(error.detail), "secondsLeft": .integer(left.components.seconds)]
                )
                try await Task.sleep(for: min(pause, left))
                pause = min(pause * 2, longestPause)
            }
        }
    }
}
