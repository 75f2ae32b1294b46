import Glibc
import Http
import HttpClient
import Kernel
import Postgres
import Sandbox
import SystemKit
import TestKit

/// A database of its own, the sandbox on a port, and daemons as processes between the two.
final class Stage: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    static let project: Int64 = 42
    static let secret = "end-to-end-secret"
    static let account = "ecommpay-eur"
    /// How long anything may take to come true.
    static let patience = Duration.seconds(40)

    let database: TestDatabase
    let sandbox: String
    let client = HttpClient()
    let folder: String
    let masterKeyFile: String
    let environment: [String: String]
    private let sandboxServer: SandboxServer
    private let daemons = Locked<[DaemonProcess]>([])
    private let provided = Locked<[ToldProvider]>([])
    private let key = Locked<String>("")
    private let numbers = Locked(0)

    /// A migrated database that every stage copies: `paystream migrate` runs once.
    private static let template = Shared<TestDatabase> {
        let database = try await TestDatabase.make("e2etemplate")
        let environment = try variables(database, keyFile: "/dev/null", server: nil)
        _ = try await DaemonProcess.run(["migrate"], environment, output: "/tmp/paystream-e2e-\(getpid()).migrate")
        return database
    }

    private init(_ name: String, server: String?) async throws {
        let template = server == nil ? try await Self.template.value : nil
        database = try await TestDatabase.make(name, copying: template, server: server)
        folder = "/tmp/paystream-e2e-\(getpid())-\(name)"
        mkdir(folder, 0o700)
        masterKeyFile = folder + "/master.key"
        environment = try Self.variables(database, keyFile: masterKeyFile, server: server)
        if server != nil { _ = try await DaemonProcess.run(["migrate"], environment, output: folder + "/migrate") }
        _ = try await DaemonProcess.run(["keys", "master", masterKeyFile], environment, output: folder + "/keys")
        _ = try await DaemonProcess.run(["merchants", "create", "demo"], environment, output: folder + "/merchants")
        var configuration = SandboxConfiguration(
            ecommpayProjects: [EcommpayProject(id: Self.project, secret: Secret(Self.secret))]
        )
        // A callback that meets a dead daemon is repeated after a second, not after ten.
        configuration.ecommpayTimings.speed = 10
        configuration.portmoneMerchants = [Self.portmone]
        configuration.portmoneTimings.speed = 60
        configuration.worldlineMerchants = [Self.worldline]
        configuration.worldlineTimings.speed = 600
        configuration.sberPayMerchants = Self.sberPay
        sandboxServer = SandboxServer(configuration)
        sandbox = "http://127.0.0.1:\(try await sandboxServer.start())"
    }

    private static func variables(_ database: TestDatabase, keyFile: String, server: String?) throws -> [String: String]
    {
        guard let url = server ?? ChildProcess.environment[TestDatabase.variable] else {
            throw Failure(description: "\(TestDatabase.variable) is not set")
        }
        return [
            "DATABASE_URL": url + (url.contains("?") ? "&" : "?") + "dbname=" + database.name,
            "PAYSTREAM_MASTER_KEY_FILE": keyFile, "PAYSTREAM_LISTEN": "127.0.0.1:0", "PATH": "/usr/bin:/bin",
        ]
    }

    /// Runs `body` on a stage with one daemon and one account, and takes everything down afterwards.
    ///
    /// `server` is the address of another PostgreSQL than the suites share.
    static func run(
        _ name: String,
        settings: Json = [:],
        server: String? = nil,
        _ body: (Stage, DaemonProcess) async throws -> Void
    ) async throws {
        let stage = try await Stage(name, server: server)
        let outcome: Result<Void, any Error>
        do {
            let daemon = try await stage.serve()
            try await stage.equip(daemon, settings)
            try await body(stage, daemon)
            outcome = .success(try await stage.verifyLicenses())
        } catch { outcome = .failure(error) }
        // What failed first tells more than what then could not be taken down.
        do { try await stage.close(keepsOutput: (try? outcome.get()) == nil) } catch {
            try outcome.get()
            throw error
        }
        try outcome.get()
    }

    private func close(keepsOutput: Bool) async throws {
        for daemon in daemons.withLock({ $0 }) { try await end(daemon, SIGKILL) }
        for provider in provided.withLock({ $0 }) { provider.stop() }
        await client.stop()
        await sandboxServer.stop()
        try await database.drop()
        if !keepsOutput { FileTree.remove(folder) }
    }

    /// Runs a command on this database to its end, which must be a good one.
    @discardableResult
    func command(_ words: [String]) async throws -> String {
        try await DaemonProcess.run(words, environment, output: folder + "/" + words[0])
    }

    /// The same with other variables.
    @discardableResult
    func run(_ words: [String], more: [String: String]) async throws -> String {
        try await DaemonProcess.run(words, environment.merging(more) { $1 }, output: folder + "/" + words[0])
    }

    /// Writes JSON into a file of this stage, for a command.
    func file(_ name: String, _ body: Json) throws -> String {
        let path = "\(folder)/\(name).json"
        guard let file = fopen(path, "w") else { throw Failure(description: "\(path) can't be written") }
        fputs(body.canonicalText, file)
        fclose(file)
        return path
    }

    /// Runs a command that speaks to this daemon, with this stage's key or another one.
    func tool(_ daemon: DaemonProcess, _ words: [String], key: String? = nil) async throws -> String {
        let variables = environment.merging(["PAYSTREAM_URL": daemon.address, "PAYSTREAM_KEY": key ?? token]) { $1 }
        return try await DaemonProcess.run(words, variables, output: folder + "/" + words[0])
    }

    /// A number that this stage has not given before, for keys and names.
    func next() -> Int {
        numbers.withLock { number in
            number += 1
            return number
        }
    }

    /// Where the database is, for PostgreSQL's own programs.
    var address: String { environment["DATABASE_URL"] ?? "" }

    // MARK: Daemons

    /// Starts a daemon, again on the port of an earlier one where that is named.
    func serve(
        onPortOf earlier: DaemonProcess? = nil,
        more: [String: String] = [:],
        files: Int? = nil
    ) async throws -> DaemonProcess {
        var variables = environment.merging(more) { $1 }
        if let earlier { variables["PAYSTREAM_LISTEN"] = "127.0.0.1:\(earlier.port)" }
        let daemon = try await DaemonProcess.serve(
            variables,
            output: "\(folder)/serve-\(next()).log",
            files: files
        )
        daemons.withLock { $0.append(daemon) }
        return daemon
    }

    /// Ends a daemon once; one that is gone already stays gone.
    @discardableResult
    func end(_ daemon: DaemonProcess, _ signal: Int32) async throws -> ChildProcess.Ending? {
        let isOurs = daemons.withLock { daemons -> Bool in
            guard let index = daemons.firstIndex(where: { $0.child.id == daemon.child.id }) else { return false }
            daemons.remove(at: index)
            return true
        }
        return isOurs ? try await daemon.end(signal) : nil
    }

    /// Makes a key by the command, then the account and the routing over HTTP.
    private func equip(_ daemon: DaemonProcess, _ settings: Json) async throws {
        let token = try await newKey("end-to-end")
        key.withLock { $0 = token }
        var values: JsonObject = settings.members ?? JsonObject([])
        values["currencies"] = ["EUR"]
        values["gateUrl"] = .string(sandbox)
        values["paymentPageUrl"] = .string(sandbox + "/payment")
        values["projectId"] = .integer(Self.project)
        for (name, seconds) in [("pollFirstSeconds", 1), ("pollCapSeconds", 2), ("pollAtLeastSeconds", 1)]
        where values[name] == nil {
            values[name] = .integer(Int64(seconds))
        }
        let account: Json = [
            "mode": "test", "name": .string(Self.account), "provider": "ecommpay",
            "secrets": ["secretKey": .string(Self.secret)], "settings": .object(values),
        ]
        try await call(daemon, .post, "/v1/accounts", account, key: "account")
        try await call(daemon, .put, "/v1/routing", ["accounts": [.string(Self.account)]], key: "routing")
    }

    /// Makes an API key that may do everything.
    func newKey(_ name: String, scopes: String = "commands,read,audit,admin") async throws -> String {
        let printed = try await command(["keys", "--scopes", scopes, "create", name])
        guard let token = printed.split(separator: "\n").first(where: { $0.hasPrefix("psk_") }) else {
            throw Failure(description: "no key: \(printed)")
        }
        return String(token)
    }

    /// A provider in front of the sandbox, at whose address an account can be.
    func toldProvider() throws -> ToldProvider {
        let provider = try ToldProvider(before: sandbox, client)
        provided.withLock { $0.append(provider) }
        return provider
    }

    // MARK: HTTP

    /// The API key of this stage.
    var token: String { key.withLock { $0 } }

    /// Calls daemons with another key from now on.
    func use(_ token: String) { key.withLock { $0 = token } }

    /// Calls a daemon as a backend does and gives the answer, whatever its status.
    func exchange(
        _ daemon: DaemonProcess,
        _ method: HttpMethod,
        _ path: String,
        _ body: Json? = nil,
        key idempotencyKey: String? = nil,
        headers more: [(String, String)] = []
    ) async throws -> HttpResponse {
        var headers = HttpHeaders(more)
        headers.set("Authorization", "Bearer " + token)
        if body != nil { headers.set("Content-Type", "application/json") }
        if let idempotencyKey { headers.set("Idempotency-Key", idempotencyKey) }
        let response = try await send(method, daemon.address + path, headers, body?.compactBytes ?? [])
        try SchemaCheck.check(method, path, response)
        return response
    }

    /// Calls a daemon and demands success.
    @discardableResult
    func call(
        _ daemon: DaemonProcess,
        _ method: HttpMethod,
        _ path: String,
        _ body: Json? = nil,
        key: String? = nil
    ) async throws -> Json {
        let response = try await exchange(daemon, method, path, body, key: key)
        guard (200..<300).contains(response.status) else {
            let text = String(decoding: response.body, as: UTF8.self)
            throw Failure(description: "\(method.rawValue) \(path): \(response.status) \(text)")
        }
        return (try? Json(response.body)) ?? .null
    }

    func send(_ method: HttpMethod, _ url: String, _ headers: HttpHeaders, _ body: [UInt8]) async throws
        -> HttpResponse
    {
        let request = OutgoingRequest(method: method, url: url, headers: headers, body: body, deadline: .seconds(30))
        switch await client.send(request) {
        case .answered(let response): return response
        case .notSent(let reason): throw Failure(description: "\(url): not sent, \(reason.rawValue)")
        case .sentNoAnswer(let lost): throw Failure(description: "\(url): no answer, \(lost.reason.rawValue)")
        }
    }

    /// Reads or controls the sandbox.
    @discardableResult
    func control(_ path: String, _ body: Json? = nil) async throws -> Json {
        let headers = HttpHeaders(body == nil ? [] : [("Content-Type", "application/json")])
        let method: HttpMethod = body == nil ? .get : .post
        let response = try await send(method, sandbox + path, headers, body?.compactBytes ?? [])
        guard (200..<300).contains(response.status) else {
            throw Failure(description: "\(path): \(response.status) \(String(decoding: response.body, as: UTF8.self))")
        }
        return (try? Json(response.body)) ?? .null
    }
}
