import Api
import Cluster
package import Daemon
import Decisions
import Engine
import EventSourcing
import Glibc
import Http
import HttpClient
package import Kernel
import Payments
import Postgres
import Store
import SystemKit

/// Everything a daemon needs on a developer's machine, made on first use under `.paystream/` and reused afterwards: a
/// cluster, a database, a master key, the sandbox in a process of its own, an account and API keys.
package struct DevEnvironment: Sendable {
    package let database: Secret
    package let masterKeyFile: String
    /// Address of the sandbox.
    package let sandbox: String

    package static let merchant = "demo"
    /// Who makes the demo's payments while `demo` lives by a clock of its own: there nothing falls due by itself.
    package static let standIn = "demo-on-time"
    private static let databaseName = "paystream"

    /// Prepares it all; `say` is told each step.
    package static func prepare(_ say: @Sendable (String) -> Void) async throws -> DevEnvironment {
        say("starting PostgreSQL")
        let checkout = try ClusterCommand.absolute(".")
        let url = try await OwnThread.run { () throws(ClusterFailure) -> (server: String, database: String) in
            let cluster = try EmbeddedCluster(checkout: checkout, name: ClusterCommand.developmentName)
            try cluster.start()
            return (cluster.url(), cluster.url(database: databaseName))
        }
        let masterKeyFile = checkout + "/" + DevFile.folder + "/master.key"
        try await makeDatabase(on: url.server, isAnew: access(masterKeyFile, F_OK) != 0, say)
        try MasterKeyFile.make(masterKeyFile)
        say("migrating the schema")
        let database = Secret(url.database)
        let migrator = Migrator(PostgresOptions(address: database))
        _ = try await migrator.run()
        try await migrator.installRoles()
        say("starting the sandbox")
        let sandbox = try await startSandbox(checkout)
        return DevEnvironment(database: database, masterKeyFile: masterKeyFile, sandbox: sandbox)
    }

    /// The processes that outlive a daemon, as far as they run.
    package struct Running: Hashable, Sendable {
        package var sandbox = false
        package var cluster = false
    }

    package static func running() async throws -> Running {
        // Keys and ledgers lie here: before a cluster makes the folder for others to enter.
        guard mkdir(DevFile.folder, 0o700) == 0 || errno == EEXIST else {
            throw UsageError("'\(DevFile.folder)' can't be made here: \(String(cString: strerror(errno)))")
        }
        let checkout = try ClusterCommand.absolute(".")
        let hasCluster = try await OwnThread.run { () throws(ClusterFailure) in
            try EmbeddedCluster(checkout: checkout, name: ClusterCommand.developmentName).processId != nil
        }
        let sandbox = readLine(checkout + "/" + DevFile.folder + "/sandbox.pid").flatMap { pid_t($0) }
        return Running(sandbox: sandbox.map { isOurs($0, ["sandbox"]) } ?? false, cluster: hasCluster)
    }

    /// Stops what outlives a daemon, unless it is to be kept; nothing is removed.
    package static func stop(except kept: Running = Running()) async throws {
        let checkout = try ClusterCommand.absolute(".")
        if !kept.sandbox, let text = readLine(checkout + "/" + DevFile.folder + "/sandbox.pid"), let id = pid_t(text),
            isOurs(id, ["sandbox"])
        {
            kill(id, SIGTERM)
            try await gone(id)
        }
        guard !kept.cluster else { return }
        try await OwnThread.run { () throws(ClusterFailure) in
            try EmbeddedCluster(checkout: checkout, name: ClusterCommand.developmentName).stop()
        }
    }

    /// Stops everything and removes what it kept: database, keys, the sandbox's ledger; answers whether it did.
    ///
    /// Refused while a daemon runs, and where something is about real money; `isWanted` is asked about the rest.
    package static func reset(if isWanted: (DevContents) throws -> Bool) async throws -> Bool {
        let checkout = try ClusterCommand.absolute(".")
        if let id = DevFile.read()["PAYSTREAM_PID"].flatMap({ pid_t($0) }), isOurs(id, ["dev", "demo"]) {
            throw UsageError("the daemon still runs as process \(id): end it first, with Ctrl-C or 'kill \(id)'")
        }
        let before = try await running()
        do {
            if let contents = try await contents(checkout) {
                if let refusal = contents.refusal { throw UsageError(refusal) }
                guard try isWanted(contents) else {
                    try await stop(except: before)
                    return false
                }
            }
        } catch {
            try await stop(except: before)
            throw error
        }
        try await remove(checkout)
        return true
    }

    /// What the cluster of a checkout holds, which it is started for; `nil` where it holds nothing of ours.
    private static func contents(_ checkout: String) async throws -> DevContents? {
        let urls = try await OwnThread.run { () throws(ClusterFailure) -> (server: String, database: String)? in
            let cluster = try EmbeddedCluster(checkout: checkout, name: ClusterCommand.developmentName)
            guard cluster.exists else { return nil }
            try cluster.start()
            return (cluster.url(), cluster.url(database: databaseName))
        }
        guard let urls else { return nil }
        return try await DevContents.read(server: urls.server, database: databaseName, at: urls.database)
    }

    private static func remove(_ checkout: String) async throws {
        try await stop()
        try await OwnThread.run { () throws(ClusterFailure) in
            try EmbeddedCluster(checkout: checkout, name: ClusterCommand.developmentName).remove()
        }
        let folder = checkout + "/" + DevFile.folder
        for name in FileTree.names(in: folder)
        where name == "master.key" || name == "dev.env" || name.hasPrefix("sandbox.") {
            unlink(folder + "/" + name)
        }
    }

    /// Waits a little until a process has ended.
    private static func gone(_ id: pid_t) async throws {
        for _ in 0..<50 where isOurs(id, ["sandbox"]) { try await Task.sleep(for: .milliseconds(100)) }
    }

    /// Whether a process is this program under one of these commands.
    private static func isOurs(_ id: pid_t, _ commands: [String]) -> Bool {
        guard id > 1, let words = SmallFile.read("/proc/\(id)/cmdline") else { return false }
        let parts = String(decoding: words, as: UTF8.self).split(separator: "\0").map(String.init)
        return parts.count > 1 && parts[0].hasSuffix("paystream") && commands.contains(parts[1])
    }

    /// Makes the database if there is none; `isAnew` makes it in any case.
    ///
    /// The cluster may lie outside the checkout and then outlives a removed `.paystream`: what stands there was sealed
    /// under a master key that is gone, and nobody can open it any more.
    private static func makeDatabase(
        on server: String,
        isAnew: Bool,
        _ say: @Sendable (String) -> Void
    ) async throws {
        let pool = PostgresPool(PostgresOptions(address: Secret(server)), limit: 1)
        let isReplaced = try await pool.withConnection { connection async throws(PostgresFailure) in
            let known = try await connection.query(
                "SELECT true FROM pg_database WHERE datname = $1",
                [.text(databaseName)]
            ) { row throws(PostgresFailure) in try row.bool(0) }
            if isAnew { try await connection.script("DROP DATABASE IF EXISTS \(databaseName) WITH (FORCE)") }
            if isAnew || known.isEmpty {
                try await connection.script("CREATE DATABASE \(databaseName) ENCODING 'UTF8' TEMPLATE template0")
            }
            return isAnew && !known.isEmpty
        }
        if isReplaced { say("made the database anew: the master key of the old one is gone") }
        await pool.drain()
    }

    /// Uses the sandbox that runs already, or starts one that outlives this process.
    private static func startSandbox(_ checkout: String) async throws -> String {
        let folder = checkout + "/" + DevFile.folder
        let announce = folder + "/sandbox.url"
        if let known = readLine(announce), await answers(known) { return known }
        unlink(announce)
        // A session of its own: neither Ctrl-C nor the end of this process ends the sandbox.
        let child = try ChildProcess.start(
            "setsid",
            [try ownProgram(), "sandbox", "--journal", folder + "/sandbox.journal", "--announce", announce],
            environment: ["PATH": "/usr/bin:/bin"],
            outputFile: folder + "/sandbox.log"
        )
        try PrivateFile.write("\(child.id)\n", to: folder + "/sandbox.pid")
        for _ in 0..<100 {
            if let address = readLine(announce), await answers(address) { return address }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw UsageError("the sandbox did not start; see \(folder)/sandbox.log")
    }

    /// The path of this program's file.
    private static func ownProgram() throws -> String {
        guard let path = realpath("/proc/self/exe", nil) else { throw UsageError("this program's file can't be found") }
        defer { free(path) }
        return String(cString: path)
    }

    private static func readLine(_ path: String) -> String? {
        SmallFile.read(path).map {
            String(decoding: $0, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
        }
    }

    private static func answers(_ address: String) async -> Bool {
        let client = HttpClient()
        let outcome = await client.send(
            OutgoingRequest(method: .get, url: address + "/sandbox/health", deadline: .seconds(2))
        )
        await client.stop()
        if case .answered(let response) = outcome { return response.status == 200 }
        return false
    }

    /// A configuration for this environment; the port is taken where it is free.
    package var configuration: DaemonConfiguration {
        var configuration = DaemonConfiguration(database: database, masterKeyFile: masterKeyFile)
        configuration.webhookAddresses = .local
        let given = DaemonConfiguration.environment()
        if let listen = given["PAYSTREAM_LISTEN"], let port = listen.split(separator: ":").last.flatMap({ UInt16($0) })
        {
            configuration.listenPort = port
        } else {
            configuration.listenPort = Self.isFree(Self.port) ? Self.port : 0
        }
        return configuration
    }

    private static let port: UInt16 = 8080

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Makes the demo merchant's key and accounts on a running node, and writes `dev.env`.
    package func equip(_ node: Node) async throws -> ApiClient {
        let known = DevFile.read()["PAYSTREAM_KEY"]
        let key: String
        if let known, !(known.isEmpty), try await node.isUsable(known) {
            key = known
        } else {
            key = try await Self.newKey(of: try await node.makeMerchant(Self.merchant), node)
        }
        try DevFile.write([
            ("DATABASE_URL", database.withBytes { String(decoding: $0, as: UTF8.self) }),
            ("PAYSTREAM_MASTER_KEY_FILE", masterKeyFile), ("PAYSTREAM_URL", node.address), ("PAYSTREAM_KEY", key),
            ("PAYSTREAM_SANDBOX", sandbox), ("PAYSTREAM_PID", String(getpid())),
        ])
        let client = ApiClient(address: node.address, key: Secret(key))
        try await furnish(Self.merchant, client, node)
        return client
    }

    /// Lends a client for payments that take their time: the demo merchant's, unless that one's time stands still.
    package func lendOnTime(
        _ client: ApiClient,
        _ node: Node,
        _ work: (ApiClient, _ merchant: String) async throws -> Bool
    ) async throws -> Bool {
        guard (try? await client.call(.get, "/v1/clock")) != nil else { return try await work(client, Self.merchant) }
        let merchant = try await node.makeMerchant(Self.standIn)
        let other = ApiClient(address: node.address, key: Secret(try await Self.newKey(of: merchant, node, days: 1)))
        let outcome: Result<Bool, any Error>
        do {
            try await furnish(Self.standIn, other, node)
            outcome = .success(try await work(other, Self.standIn))
        } catch { outcome = .failure(error) }
        await other.stop()
        // The sandbox knows one address for notifications of each provider: from now on the demo merchant's again.
        try await furnish(Self.merchant, client, node)
        return try outcome.get()
    }

    private static func newKey(of merchant: MerchantNumber, _ node: Node, days: Int64? = nil) async throws -> String {
        let made = try await ApiKeys.create(
            "development",
            merchant: merchant,
            scopes: Scope.allCases,
            expiresAt: days.map { WallClock.now().adding(.seconds($0 * 86_400)) },
            node.registers,
            node.ring
        )
        return made.token.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Gives a merchant an account at every provider of the sandbox, and the sandbox the addresses of its notifications.
    private func furnish(_ name: String, _ client: ApiClient, _ node: Node) async throws {
        let merchant = try await node.makeMerchant(name)
        let accounts = DevAccount.all(at: sandbox)
        for account in accounts {
            try await account.add(client, sandbox: sandbox) { id in
                ConfiguredAccount.notificationUrl(node.address, account.provider, merchant, id)
            }
        }
        let routing: Json = ["accounts": .array(accounts.map { .string(DevAccount.name(of: $0.provider)) })]
        _ = try await client.call(.put, "/v1/routing", routing, key: "routing-\(DevAccount.digest(routing))")
    }
}
