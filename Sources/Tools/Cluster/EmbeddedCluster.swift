package import Glibc
import SystemKit

/// A private PostgreSQL cluster under a checkout, for development, demonstrations and tests.
///
/// It listens on a UNIX socket alone, inside a folder that only the server's account (and root) can enter; that folder
/// is the whole access control, so there is no password to keep. Starting a running cluster and stopping a stopped one
/// are successes with nothing to do, and callers in several processes wait for each other on a lock file.
package struct EmbeddedCluster: Sendable {
    /// How long `pg_ctl` waits for the server to come up or go down.
    package static let waitSeconds = 60
    /// How often a start is tried while marks of a killed server are in the way.
    package static let startAttempts = 10
    private static let attemptPauseMicroseconds: UInt32 = 500_000
    /// Enough for several daemons and parallel test suites.
    package static let maximumConnections = 300
    /// The role that owns everything in the cluster.
    package static let superuser = "postgres"
    /// The port names the socket file; one per major version, so that two versions can share a folder.
    private static let portBase = 5400

    package let directory: ClusterDirectory
    package let programs: PostgresPrograms
    package let account: ServerAccount
    private let socketFolder: String

    /// Finds the programs, the account and the directory of a checkout's cluster.
    package init(checkout: String, name: String, inMemory: Bool = false) throws(ClusterFailure) {
        let account = try ServerAccount.current()
        let directory = try ClusterDirectory.prepare(
            checkout: checkout,
            name: name,
            account: account,
            inMemory: inMemory
        )
        try self.init(directory: directory, account: account)
    }

    package init(directory: ClusterDirectory, account: ServerAccount) throws(ClusterFailure) {
        self.directory = directory
        self.account = account
        programs = try PostgresPrograms.find()
        socketFolder = try directory.socketFolder(account)
        guard try account.canReach(programs.path("postgres")) else {
            throw ClusterFailure(.programsUnreadable, "user \(account.user) can't execute \(programs.path("postgres"))")
        }
    }

    private var data: String { directory.data(programs.majorVersion) }
    private var port: Int { Self.portBase + programs.majorVersion }
    private var processFile: String { data + "/postmaster.pid" }

    /// The folder with `psql` and the other client programs of the same version.
    package var programFolder: String { programs.folder }

    /// Reaches a database as the superuser, in the form that every libpq program takes.
    package func url(database: String = "postgres") -> String {
        "postgresql://\(Self.superuser)@/\(database)?host=\(Self.percentEncoded(socketFolder))&port=\(port)"
    }

    /// Whether a server ever kept anything here.
    package var exists: Bool { access(data + "/PG_VERSION", F_OK) == 0 }

    /// The server's process, if it runs.
    package var processId: pid_t? {
        guard let first = FileTree.text(processFile)?.split(separator: "\n").first, let id = pid_t(first), id > 0
        else { return nil }
        // A number that came into use again belongs to some other program.
        guard let words = FileTree.text("/proc/\(id)/cmdline")?.split(separator: "\0") else { return nil }
        return words.first?.hasSuffix("postgres") == true && words.contains(Substring(data)) ? id : nil
    }

    /// Makes the data directory if there is none, and the server run if it doesn't; a new server has `environment`, and
    /// `settings` beside ours.
    package func start(environment: [String: String] = [:], settings: [String: String] = [:]) throws(ClusterFailure) {
        try FileLock.holding(directory.lock) { () throws(ClusterFailure) in
            try startUnderLock(environment, settings)
        }
    }

    /// Ends every connection and shuts the server down.
    package func stop() throws(ClusterFailure) {
        try FileLock.holding(directory.lock, stopUnderLock)
    }

    /// Stops the server and removes everything it kept.
    package func remove() throws(ClusterFailure) {
        try stop()
        FileTree.remove(directory.path)
        if socketFolder != directory.path { FileTree.remove(socketFolder) }
    }

    private func startUnderLock(_ environment: [String: String], _ settings: [String: String]) throws(ClusterFailure) {
        guard processId == nil else { return }
        try initialize()
        try configure(settings)
        for attempt in 1... {
            let ending = try control("start", ["--log", directory.log], environment)
            if ending == .exited(0) { return }
            // The last postmaster may have been killed, with its children still leaving.
            guard attempt < Self.startAttempts, access(processFile, F_OK) == 0 else {
                throw ClusterFailure(.startFailed, "pg_ctl ended with \(ending.exitCode); see \(directory.log)")
            }
            forgetLastProcess()
            usleep(Self.attemptPauseMicroseconds)
        }
    }

    /// Removes the marks of a postmaster that is gone but whose number is in use again, or not yet given back.
    ///
    /// Processes that it left behind still hold their shared memory, which keeps a second server out.
    private func forgetLastProcess() {
        guard processId == nil else { return }
        unlink(processFile)
        unlink("\(socketFolder)/.s.PGSQL.\(port).lock")
    }

    /// Runs `pg_ctl` with a verb and waits until the server has done it.
    private func control(
        _ verb: String,
        _ options: [String],
        _ environment: [String: String] = [:]
    ) throws(ClusterFailure) -> ChildProcess.Ending {
        let common = ["--pgdata", data, "--wait", "--timeout", "\(Self.waitSeconds)", "--silent"]
        return try account.run(
            programs.path("pg_ctl"),
            [verb] + common + options,
            environment: environment,
            directory: directory.path,
            outputFile: commandLog
        )
    }

    private func stopUnderLock() throws(ClusterFailure) {
        guard processId != nil else { return }
        // Fast mode is SIGINT to the postmaster.
        let ending = try control("stop", ["--mode", "fast"])
        guard ending == .exited(0) else {
            throw ClusterFailure(.stopFailed, "pg_ctl ended with \(ending.exitCode); see \(directory.log)")
        }
    }

    /// Takes what `pg_ctl` and `initdb` print.
    private var commandLog: String { directory.path + "/commands.log" }

    private func initialize() throws(ClusterFailure) {
        guard FileTree.text(data + "/PG_VERSION") == nil else { return }
        // Made beside its place and then moved there, so that an interrupted run leaves no half of it.
        let partial = data + ".partial"
        FileTree.remove(partial)
        let ending = try account.run(
            programs.path("initdb"),
            [
                "--pgdata", partial, "--username", Self.superuser, "--auth=trust", "--encoding=UTF8",
                "--locale=C.UTF-8", "--data-checksums", "--no-instructions",
            ],
            directory: directory.path,
            outputFile: commandLog
        )
        guard ending == .exited(0), rename(partial, data) == 0 else {
            throw ClusterFailure(.initializationFailed, "initdb ended with \(ending.exitCode); see \(commandLog)")
        }
    }

    /// Written at every start, because the socket's folder and our settings may have changed since the last one.
    private func configure(_ more: [String: String]) throws(ClusterFailure) {
        let own = [
            "listen_addresses": "",
            "unix_socket_directories": socketFolder,
            "unix_socket_permissions": "0700",
            "port": "\(port)",
            "max_connections": "\(Self.maximumConnections)",
            "timezone": "UTC",
            "log_timezone": "UTC",
            "log_line_prefix": "%m [%p] %d ",
        ]
        let lines = own.merging(more) { $1 }.sorted { $0.key < $1.key }.map { name, value in
            "\(name) = '\(value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'\n"
        }
        let settings = "# Written by paystream at every start.\n" + lines.joined()
        let path = data + "/postgresql.auto.conf"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw ClusterFailure(.startFailed, "can't write \(path)") }
        defer { close(file) }
        let bytes = Array(settings.utf8)
        guard write(file, bytes, bytes.count) == bytes.count, fchown(file, account.user, account.group) == 0 else {
            throw ClusterFailure(.startFailed, "can't write \(path)")
        }
    }

    /// Escapes what may not stand as it is in a query of a URL.
    private static func percentEncoded(_ text: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        return text.utf8.map { byte in
            if plain.contains(byte) { return String(UnicodeScalar(byte)) }
            return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
