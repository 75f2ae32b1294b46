import Benchmarks
import Cluster
import Glibc
import Kernel
import Postgres
import Store
import SystemKit

/// A migrated database for one bench, on a server of its own or on one that was given, with a folder for files.
struct BenchDatabase: Sendable {
    let address: Secret
    let folder: String
    /// The postmaster, where the server is our own.
    let server: pid_t?
    private let programs: PostgresPrograms
    /// The server's own address.
    private let serverUrl: String

    /// This process's folder.
    static var folder: String { "/tmp/paystream-bench-\(getpid())" }

    /// A quarter of the machine's memory as shared buffers, which PostgreSQL's manual gives as a beginning for a server of its own.
    private static var settings: [String: String] {
        let megabytes = sysconf(Int32(_SC_PHYS_PAGES)) / 4 * sysconf(Int32(_SC_PAGESIZE)) / 1_048_576
        return ["shared_buffers": "\(max(128, megabytes))MB"]
    }

    /// Makes everything, and takes it down behind `body`.
    static func with(_ plan: BenchPlan, _ body: @Sendable (BenchDatabase) async throws -> Void) async throws {
        guard FileTree.makeFolder(folder, mode: 0o700) else { throw CommandFailure("can't make \(folder)") }
        defer { FileTree.remove(folder) }
        let leftovers = Leftovers()
        defer { leftovers.close() }
        leftovers.add { FileTree.remove(folder) }
        let programs = try PostgresPrograms.find()
        if let url = plan.url {
            try await onServer(url, server: nil, folder, programs, body)
            return
        }
        let checkout = try ClusterCommand.absolute(".")
        leftovers.add { TemporaryCluster.removeOwn(checkout: checkout) }
        let library = try plan.flushDelay.map { _ throws(CommandFailure) in try ProgramLibrary.path("slowflush") }
        let environment = plan.flushDelay.map { ["PAYSTREAM_FLUSH_MICROSECONDS": "\($0 * 1000)"] } ?? [:]
        let cluster = try await OwnThread.run { () throws(ClusterFailure) in
            try TemporaryCluster.start(
                checkout: checkout,
                loading: library,
                environment: environment,
                settings: Self.settings
            )
        }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await onServer(cluster.url(), server: cluster.processId, folder, programs, body))
        } catch { outcome = .failure(error) }
        try await OwnThread.run { () throws(ClusterFailure) in try cluster.remove() }
        try outcome.get()
    }

    private static func onServer(
        _ url: String,
        server: pid_t?,
        _ folder: String,
        _ programs: PostgresPrograms,
        suffix: String = "",
        _ body: @Sendable (BenchDatabase) async throws -> Void
    ) async throws {
        let name = "paystream_bench_\(getpid())\(suffix)"
        let options = PostgresOptions(address: Secret(url), statementTimeout: .seconds(60))
        let admin = try await PostgresConnection.connect(options)
        try await admin.execute("CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'UTF8'")
        let database = BenchDatabase(
            address: Secret(url + (url.contains("?") ? "&" : "?") + "dbname=" + name),
            folder: folder,
            server: server,
            programs: programs,
            serverUrl: url
        )
        let outcome: Result<Void, any Error>
        do {
            _ = try await Migrator(PostgresOptions(address: database.address)).run()
            let connection = try await PostgresConnection.connect(PostgresOptions(address: database.address))
            try await connection.script(RawDatabase.schema)
            await connection.close()
            outcome = .success(try await body(database))
        } catch { outcome = .failure(error) }
        try await admin.execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
        await admin.close()
        try outcome.get()
    }

    /// Makes another database on the same server, and takes it down behind `body`.
    func besideAnother(_ body: @Sendable (BenchDatabase) async throws -> Void) async throws {
        let other = folder + "/other"
        guard FileTree.makeFolder(other, mode: 0o700) else { throw CommandFailure("can't make \(other)") }
        try await Self.onServer(serverUrl, server: server, other, programs, suffix: "_other", body)
    }

    /// Runs a script in `pgbench`, each line one transaction; without prepared statements each is parsed and planned anew.
    func raw(
        _ script: String,
        variables: [(name: String, value: String)] = [],
        preparing: Bool = true,
        clients: Int,
        seconds: Int
    ) async throws -> Sample {
        let file = folder + "/script.sql"
        let prefix = folder + "/latency"
        try PrivateFile.write(script, to: file)
        let url = address.withBytes { String(decoding: $0, as: UTF8.self) }
        let arguments =
            [
                "-n", "-M", preparing ? "prepared" : "extended", "-c", "\(clients)", "-j", "\(min(2, clients))",
                "-T", "\(seconds)", "-f", file, "-l", "--log-prefix", prefix,
            ] + variables.flatMap { ["-D", "\($0.name)=\($0.value)"] } + [url]
        let ending = try await OwnThread.run { () throws(ClusterFailure) in
            try ClusterFailure.starting(
                programs.path("pgbench"),
                arguments,
                environment: ChildProcess.environment,
                outputFile: folder + "/pgbench.log"
            ).wait()
        }
        guard ending == .exited(0) else {
            throw CommandFailure("pgbench: \(FileTree.text(folder + "/pgbench.log") ?? "\(ending)")")
        }
        var latencies: [Duration] = []
        for name in FileTree.names(in: folder) where name.hasPrefix("latency.") {
            let path = "\(folder)/\(name)"
            for line in (FileTree.text(path) ?? "").split(separator: "\n") {
                let columns = line.split(separator: " ", maxSplits: 3)
                if columns.count > 2, let time = Int64(columns[2]) { latencies.append(.microseconds(time)) }
            }
            unlink(path)
        }
        return Sample(count: latencies.count, elapsed: .seconds(seconds), latencies: latencies)
    }

    /// What the server has written so far, of this database and of its log.
    func counts() async throws -> ServerCounts {
        let milliseconds = server.map { ProcessorTime.ofFamily($0) * 1000 }
        let connection = try await PostgresConnection.connect(PostgresOptions(address: address))
        let counts = try await connection.query(
            """
            SELECT w.wal_sync, d.tup_inserted + d.tup_updated + d.tup_deleted,
                   (pg_current_wal_insert_lsn() - '0/0')::bigint
              FROM pg_stat_wal w, pg_stat_database d WHERE d.datname = current_database()
            """
        ) { row throws(PostgresFailure) in
            ServerCounts(
                flushes: try row.int64(0),
                rowsWritten: try row.int64(1),
                walBytes: try row.int64(2),
                milliseconds: milliseconds
            )
        }
        await connection.close()
        return counts.first ?? ServerCounts(flushes: 0, rowsWritten: 0, walBytes: 0, milliseconds: milliseconds)
    }
}

/// Processor time of processes, from `/proc`.
enum ProcessorTime {
    /// Seconds that a process has used.
    static func of(_ process: pid_t) -> Double { fields(process).map { ticks($0, 11...12) } ?? 0 }

    /// Seconds that a process, its children and those that have ended have used.
    static func ofFamily(_ process: pid_t) -> Double {
        guard let own = fields(process) else { return 0 }
        let children = FileTree.names(in: "/proc").compactMap { pid_t($0) }.compactMap(fields).filter {
            $0.count > 1 && $0[1] == "\(process)"
        }
        return ticks(own, 11...14) + children.reduce(0) { $0 + ticks($1, 11...14) }
    }

    /// Reads the fields behind the name in `stat`: state, parent and so on.
    private static func fields(_ process: pid_t) -> [Substring]? {
        guard let text = FileTree.text("/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else { return nil }
        return text[text.index(after: end)...].split(separator: " ")
    }

    private static func ticks(_ fields: [Substring], _ range: ClosedRange<Int>) -> Double {
        let sum = range.reduce(0) { $0 + (fields.indices.contains($1) ? Int(fields[$1]) ?? 0 : 0) }
        return Double(sum) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
