import Api
import Crypto
import Daemon
import EventSourcing
import Glibc
import Http
import HttpClient
import Kernel
import Payments
import Postgres
import Sandbox
import Store
import SystemKit

/// A daemon in a process of its own, so that its processor time is told apart from the load's.
struct BenchNode: Sendable {
    let address: String
    let process: ChildProcess
    let merchant: MerchantNumber
    let account: Uuid
    /// One key per client: a key's rate is limited.
    let keys: [Secret]
    let ring: KeyRing
    let client: HttpClient
    let store: PostgresStore
    let pool: PostgresPool
    private static let accountName = "bench"
    /// Payers, each with a card of their own.
    private static let payers = 64

    /// Starts a daemon on the database, with an account at `gate`, and ends it behind `body`.
    static func with(
        _ database: BenchDatabase,
        clients: Int,
        gate: String,
        settings: Json = [:],
        environment: [String: String] = [:],
        _ body: @Sendable (BenchNode) async throws -> Void
    ) async throws {
        let keyFile = database.folder + "/master.key"
        try MasterKeyFile.make(keyFile)
        let ring = try MasterKeyFile.read(keyFile)
        let pool = PostgresPool(PostgresOptions(address: database.address), limit: 2)
        let registers = Registers(PostgresStore(pool))
        let merchant = try await registers.makeMerchant(named: "bench").number
        var keys: [Secret] = []
        for number in 0..<clients {
            keys.append(
                try await ApiKeys.create(
                    "client \(number)",
                    merchant: merchant,
                    scopes: Scope.allCases,
                    expiresAt: nil,
                    registers,
                    ring
                ).token
            )
        }
        let (process, address) = try await start(database, keyFile, environment)
        var configuration = HttpClientConfiguration()
        configuration.connectionsPerHost = clients
        let node = BenchNode(
            address: address,
            process: process,
            merchant: merchant,
            account: DerivedNames.account(merchant, name: accountName),
            keys: keys,
            ring: ring,
            client: HttpClient(configuration),
            store: PostgresStore(pool),
            pool: pool
        )
        let outcome: Result<Void, any Error>
        do {
            try await node.configure(gate, settings)
            outcome = .success(try await body(node))
        } catch { outcome = .failure(error) }
        await node.end()
        try outcome.get()
    }

    private static func start(
        _ database: BenchDatabase,
        _ keyFile: String,
        _ more: [String: String],
        log name: String = "serve.log"
    ) async throws -> (ChildProcess, String) {
        var environment = ChildProcess.environment.merging(more) { $1 }
        environment["DATABASE_URL"] = database.address.withBytes { String(decoding: $0, as: UTF8.self) }
        environment["PAYSTREAM_MASTER_KEY_FILE"] = keyFile
        environment["PAYSTREAM_LISTEN"] = "127.0.0.1:0"
        environment["PAYSTREAM_PUBLIC_URL"] = nil
        let log = database.folder + "/" + name
        unlink(log)
        let process = try ChildProcess.start("/proc/self/exe", ["serve"], environment: environment, outputFile: log)
        for _ in 0..<400 {
            let line = FileTree.text(log)?.split(separator: "\n").first { $0.contains(" listens on ") }
            if let address = line?.split(separator: " ").last { return (process, String(address)) }
            try await Task.sleep(for: .milliseconds(25))
        }
        kill(process.id, SIGKILL)
        throw CommandFailure("the daemon did not start: \(FileTree.text(log) ?? "")")
    }

    private func configure(_ gate: String, _ more: Json) async throws {
        var settings: JsonObject = more.members ?? JsonObject([])
        settings["currencies"] = ["EUR"]
        settings["gateUrl"] = .string(gate)
        settings["paymentPageUrl"] = .string(gate + "/payment")
        settings["projectId"] = .integer(SandboxMerchants.project)
        let body: Json = [
            "mode": "test", "name": .string(Self.accountName), "provider": "ecommpay",
            "secrets": ["secretKey": .string(SandboxMerchants.secret)],
            "settings": .object(settings),
        ]
        try await expect(200, .post, "/v1/accounts", body, client: 0, key: "account")
        try await expect(200, .put, "/v1/routing", ["accounts": [.string(Self.accountName)]], client: 0, key: "routing")
    }

    /// Runs `body` with another daemon on the same database, and ends that behind it.
    func besideAnother<Result: Sendable>(
        _ database: BenchDatabase,
        _ body: @Sendable (BenchNode) async throws -> Result
    ) async throws -> Result {
        let (process, address) = try await Self.start(database, database.folder + "/master.key", [:], log: "other.log")
        let other = BenchNode(
            address: address,
            process: process,
            merchant: merchant,
            account: account,
            keys: keys,
            ring: ring,
            client: client,
            store: store,
            pool: pool
        )
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await body(other)) } catch { outcome = .failure(error) }
        await other.stop()
        return try outcome.get()
    }

    /// Asks it to drain, and waits for it.
    private func stop() async {
        kill(process.id, SIGTERM)
        let process = process
        await OwnThread.run { _ = process.wait() }
    }

    /// Asks it to drain, waits for it, and closes what was opened beside it.
    private func end() async {
        await client.stop()
        await stop()
        await pool.drain()
    }

    /// How payments stand in the read model, those that are in it.
    func viewStatuses(of ids: [PaymentId]) async throws -> [(id: PaymentId, status: String)] {
        guard !ids.isEmpty else { return [] }
        let merchant = merchant
        return try await pool.withConnection { connection async throws(PostgresFailure) in
            try await connection.query(
                // One look by key for each, whatever the server thinks of a table that it has not analysed yet.
                """
                SELECT v.id, v.status FROM unnest($2::uuid[]) AS u (id) CROSS JOIN LATERAL
                       (SELECT id, status FROM paystream.payment_view WHERE merchant = $1 AND id = u.id LIMIT 1) AS v
                """,
                [.int32(merchant.value), .uuids(ids.map(\.uuid))]
            ) { row throws(PostgresFailure) in (PaymentId(try row.uuid(0)), try row.text(1)) }
        }
    }

    /// Seconds for inserting pages of bytes one by one, each durable before the next: the least that an upload costs.
    func insertPages(_ pages: [[UInt8]]) async throws -> Double {
        try await pool.withConnection { connection async throws(PostgresFailure) in
            try await connection.execute("CREATE TABLE IF NOT EXISTS bare_page (bytes bytea)")
            let begun = ContinuousClock.now
            for page in pages {
                _ = try await connection.query("INSERT INTO bare_page VALUES ($1)", [.bytes(page)]) { _ in 0 }
            }
            let spent = begun.duration(to: .now)
            return Double(spent.components.seconds) + Double(spent.components.attoseconds) / 1e18
        }
    }

    /// One figure of the daemon's page of metrics.
    func figure(_ name: String) async throws -> Int64 {
        guard let value = try await figures(name + " ").first else {
            throw CommandFailure("the daemon has no figure \(name)")
        }
        return value
    }

    /// The sum of a figure over all its labels.
    func sum(_ name: String) async throws -> Int64 { try await figures(name + "{").reduce(0, +) }

    private func figures(_ prefix: String) async throws -> [Int64] {
        let request = OutgoingRequest(method: .get, url: address + "/metrics", deadline: .seconds(30))
        let page = String(decoding: try await Self.answer(client.send(request), to: "/metrics").body, as: UTF8.self)
        return page.split(separator: "\n").filter { $0.hasPrefix(prefix) }.compactMap { line in
            line.split(separator: " ").last.flatMap { Int64($0) }
        }
    }

    // MARK: Calls

    /// Sends one request with a client's key and demands a status.
    @discardableResult
    func expect(
        _ status: Int,
        _ method: HttpMethod,
        _ path: String,
        _ body: Json?,
        client number: Int,
        key: String? = nil,
        headers more: [(String, String)] = []
    ) async throws -> HttpResponse {
        var headers = HttpHeaders(more)
        keys[number % keys.count].withBytes {
            headers.set("Authorization", "Bearer " + String(decoding: $0, as: UTF8.self))
        }
        if body != nil { headers.set("Content-Type", "application/json") }
        headers.set("Idempotency-Key", key)
        let request = OutgoingRequest(
            method: method,
            url: address + path,
            headers: headers,
            body: body?.compactBytes ?? [],
            deadline: .seconds(30)
        )
        let response = try await Self.answer(client.send(request), to: path)
        guard response.status == status || (status == 200 && response.status == 202) else {
            throw CommandFailure("\(path): \(response.status) \(String(decoding: response.body, as: UTF8.self))")
        }
        return response
    }

    /// Signs in to the console, and answers the cookie.
    func signedIn() async throws -> String {
        let key = keys[0].withBytes { String(decoding: $0, as: UTF8.self) }
        var headers = HttpHeaders([("Origin", address)])
        headers.set("Content-Type", "application/x-www-form-urlencoded")
        let request = OutgoingRequest(
            method: .post,
            url: address + "/console/sign-in",
            headers: headers,
            body: Array("key=\(FormEncoding.escape(key))".utf8),
            deadline: .seconds(30)
        )
        let answer = try await Self.answer(client.send(request), to: "/console/sign-in")
        guard answer.status == 303, let cookie = answer.headers["Set-Cookie"]?.split(separator: ";").first else {
            throw CommandFailure("nobody could sign in to the console: \(answer.status)")
        }
        return String(cookie)
    }

    /// A page of the console, by way of the period that it asks for where none is named.
    func page(_ path: String, cookie: String) async throws {
        var answer = try await look(path, cookie)
        if answer.status == 303, let target = answer.headers["Location"] { answer = try await look(target, cookie) }
        guard answer.status == 200 else { throw CommandFailure("\(path): \(answer.status)") }
    }

    private func look(_ path: String, _ cookie: String) async throws -> HttpResponse {
        let request = OutgoingRequest(
            method: .get,
            url: address + path,
            headers: HttpHeaders([("Cookie", cookie)]),
            deadline: .seconds(30)
        )
        return try await Self.answer(client.send(request), to: path)
    }

    static func answer(_ outcome: ExchangeOutcome, to path: String) throws -> HttpResponse {
        guard case .answered(let response) = outcome else { throw CommandFailure("\(path): \(outcome)") }
        return response
    }

    /// What a client says to create a payment; the key is its reference as well.
    static func payment(_ key: String, client number: Int, mode: String = "sale", cents: Int64 = 7700) -> Json {
        [
            "amount": ["currency": "EUR", "value": .integer(cents)],
            "customer": .string("bench-customer-\(number % payers)"),
            "description": "A payment of the bench, with a description of the usual length",
            "details": ["payer": ["email": "payer@example.org"]], "mode": .string(mode), "reference": .string(key),
        ]
    }

    /// Accepts a new payment and answers its id.
    func create(_ key: String, client number: Int, mode: String = "sale", cents: Int64 = 7700) async throws -> PaymentId
    {
        let body = Self.payment(key, client: number, mode: mode, cents: cents)
        let answer = try await expect(202, .post, "/v1/payments", body, client: number, key: key)
        guard let id = answer.json["id"]?.text.flatMap({ PaymentId($0) }) else {
            throw CommandFailure("no id in the answer")
        }
        return id
    }
}

extension HttpResponse {
    /// The body, read where somebody asks for it: the generator takes time from what is measured.
    var json: Json { (try? Json(body)) ?? .null }
}
