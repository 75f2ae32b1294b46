package import SystemKit

/// Why the embedded PostgreSQL can't be had.
package struct ClusterFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        /// No PostgreSQL server programs were found.
        case programsMissing = "programs_missing"
        /// The account that runs the server can't read its programs.
        case programsUnreadable = "programs_unreadable"
        /// There is no account without privileges to run the server as.
        case accountMissing = "account_missing"
        /// No directory can hold the cluster.
        case directoryUnusable = "directory_unusable"
        /// A program could not be started.
        case spawnFailed = "spawn_failed"
        /// The data directory could not be made.
        case initializationFailed = "initialization_failed"
        /// The server did not come up.
        case startFailed = "start_failed"
        /// The server did not go down.
        case stopFailed = "stop_failed"
    }

    package let code: Code
    /// For a person: paths and what the program said.
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    package var description: String { "\(code.rawValue): \(detail)" }
}

extension ClusterFailure {
    /// Starts a program, and says in this failure's words why it can't be.
    package static func starting(
        _ path: String,
        _ arguments: [String],
        environment: [String: String],
        outputFile: String? = nil
    ) throws(ClusterFailure) -> ChildProcess {
        do throws(SpawnFailure) {
            return try ChildProcess.start(path, arguments, environment: environment, outputFile: outputFile)
        } catch { throw ClusterFailure(.spawnFailed, error.description) }
    }
}
