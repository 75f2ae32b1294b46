import Glibc
import SystemKit

/// PgBouncer before a server: each transaction of a client is served by whichever session of the server is free.
///
/// It listens on a UNIX socket in a folder of its own, which only the server's account (and root) can enter.
package struct TransactionPooler: Sendable {
    private static let program = "/usr/sbin/pgbouncer"
    package static let port = 6432
    /// How many times it is looked for, five milliseconds apart.
    private static let patience = 4000

    private let account: ServerAccount
    private let folder: String
    private var processFile: String { folder + "/pid" }

    /// Reaches a database through the pooler as the superuser, in the form that every libpq program takes.
    package func url(database: String = "postgres") -> String {
        "postgresql://\(EmbeddedCluster.superuser)@/\(database)?host=\(folder)&port=\(Self.port)"
    }

    /// Runs `body` beside a pooler before the server whose socket lies in the folder `host`, and takes the pooler down.
    ///
    /// `sessions` is how many of the server it uses for each database at most; `settings` are further lines of its file.
    package static func run(
        host: String,
        port: String,
        sessions: Int,
        settings: [String] = [],
        _ body: (TransactionPooler) async throws -> Void
    ) async throws {
        let pooler = try TransactionPooler()
        defer { pooler.stop() }
        try pooler.start(["* = host=\(host) port=\(port)"], ["default_pool_size = \(sessions)"] + settings)
        try await pooler.listens()
        try await body(pooler)
    }

    private init() throws(ClusterFailure) {
        account = try ServerAccount.current()
        var name = Array("/tmp/paystream-pooler-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw ClusterFailure(.directoryUnusable, "/tmp takes no folder") }
        folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func start(_ databases: [String], _ more: [String]) throws {
        let users = folder + "/users"
        let settings = folder + "/settings"
        try PrivateFile.write("\"\(EmbeddedCluster.superuser)\" \"\"\n", to: users)
        try PrivateFile.write(
            """
            [databases]
            \(databases.joined(separator: "\n"))
            [pgbouncer]
            listen_port = \(Self.port)
            unix_socket_dir = \(folder)
            auth_type = trust
            auth_file = \(users)
            pool_mode = transaction
            max_client_conn = 500
            pidfile = \(processFile)
            logfile = \(folder)/log
            \(more.joined(separator: "\n"))

            """,
            to: settings
        )
        for path in [folder, users, settings] where account.stepsDown { chown(path, account.user, account.group) }
        let ending = try account.run(
            Self.program,
            ["--daemon", settings],
            directory: folder,
            outputFile: folder + "/output"
        )
        guard ending == .exited(0) else {
            let said = FileTree.text(folder + "/output") ?? ""
            throw ClusterFailure(
                .startFailed,
                access(Self.program, X_OK) == 0
                    ? "\(Self.program) ended with \(ending.exitCode): \(said)"
                    : "there is no \(Self.program); deploy/bootstrap.sh --pooler installs it"
            )
        }
    }

    /// Waits until it listens, which it does in the background.
    private func listens() async throws {
        for _ in 0..<Self.patience {
            if isListening { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw ClusterFailure(.startFailed, "\(Self.program) does not listen: \(FileTree.text(folder + "/log") ?? "")")
    }

    /// Whether clients can come: its socket is there a moment before.
    private var isListening: Bool {
        let sockets = FileTree.text("/proc/net/unix")?.split(separator: "\n") ?? []
        let place = "\(folder)/.s.PGSQL.\(Self.port)"
        // Of the columns the fourth has the flag of a socket that accepts.
        return sockets.contains { $0.hasSuffix(place) && $0.split(separator: " ").dropFirst(3).first == "00010000" }
    }

    /// Sends its process a signal.
    package func signal(_ number: Int32) {
        if let text = FileTree.text(processFile), let id = pid_t(text.filter(\.isNumber)) { kill(id, number) }
    }

    private func stop() {
        signal(SIGKILL)
        FileTree.remove(folder)
    }
}
