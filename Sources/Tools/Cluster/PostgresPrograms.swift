import Glibc
import SystemKit

/// The folder with PostgreSQL's own programs.
package struct PostgresPrograms: Hashable, Sendable {
    /// Names another folder than Debian's newest, for a PostgreSQL of another version.
    package static let variable = "PAYSTREAM_PG_BIN"
    /// Debian keeps one folder per major version here.
    package static let debianFolder = "/usr/lib/postgresql"

    package let folder: String
    /// The first part of the version: a data directory belongs to one.
    package let majorVersion: Int

    /// Finds the programs named by the environment, otherwise the newest that Debian installed.
    package static func find(
        environment: [String: String] = ChildProcess.environment
    ) throws(ClusterFailure) -> PostgresPrograms {
        if let folder = environment[variable], !folder.isEmpty {
            guard let version = versionOfPrograms(in: folder) else {
                throw ClusterFailure(
                    .programsMissing,
                    "\(variable) names '\(folder)', which holds no PostgreSQL server"
                )
            }
            return PostgresPrograms(folder: folder, majorVersion: version)
        }
        let versions = FileTree.names(in: debianFolder).compactMap { Int($0) }.sorted(by: >)
        for version in versions where access("\(debianFolder)/\(version)/bin/postgres", X_OK) == 0 {
            return PostgresPrograms(folder: "\(debianFolder)/\(version)/bin", majorVersion: version)
        }
        throw ClusterFailure(.programsMissing, "no server under \(debianFolder); 'make bootstrap' installs it")
    }

    package func path(_ program: String) -> String { "\(folder)/\(program)" }

    /// Asks `postgres --version`, whose answer is like `postgres (PostgreSQL) 15.20 (Debian …)`.
    private static func versionOfPrograms(in folder: String) -> Int? {
        guard let stream = popen("'\(folder)/postgres' --version 2>/dev/null", "re") else { return nil }
        defer { pclose(stream) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), stream) != nil else { return nil }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.split(separator: " ").lazy.compactMap { word in
            word.first?.isNumber == true ? Int(word.prefix { $0.isNumber }) : nil
        }.first
    }
}
