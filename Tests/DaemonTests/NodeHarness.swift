import Api
import Crypto
import Daemon
import Engine
import EventSourcing
import Glibc
import Kernel
import Payments
import Postgres
import Store
import Telemetry
import TestKit

/// A daemon on a database of its own, with one account and nobody at the provider's end.
struct NodeHarness {
    let node: Node
    let configuration: DaemonConfiguration
    let database: TestDatabase
    let merchant: MerchantNumber
    let account: String
    let backend: PostgresConnection

    static let merchantName = "inbox-shop"

    struct Silence: LogSink {
        func write(_ line: [UInt8]) {}
    }

    struct Failure: Error { let what: String }

    /// Runs `body` beside a working daemon, and takes everything down afterwards.
    static func run(
        _ suite: String,
        log: any LogSink = Silence(),
        _ body: (NodeHarness) async throws -> Void
    ) async throws {
        let database = try await TestDatabase.migrated(suite)
        let keyFile = "/tmp/paystream-\(getpid())-\(suite).key"
        try MasterKeyFile.make(keyFile)
        defer { unlink(keyFile) }
        var configuration = DaemonConfiguration(database: try address(of: database), masterKeyFile: keyFile)
        configuration.webhookAddresses = .local
        configuration.listenPort = 0
        let node = try await Node(configuration, log: Logger(sink: log, now: { Timestamp(seconds: 0) }))
        let running = Task { await node.run() }
        let backend = try await PostgresConnection.connect(database.options)
        let merchant = try await node.registers.makeMerchant(named: merchantName).number
        let harness = NodeHarness(
            node: node,
            configuration: configuration,
            database: database,
            merchant: merchant,
            account: "ecommpay-eur",
            backend: backend
        )
        let outcome: Result<Void, any Error>
        do {
            try await harness.configure()
            outcome = .success(try await body(harness))
        } catch { outcome = .failure(error) }
        await backend.close()
        await node.drain()
        await running.value
        try await database.drop()
        try outcome.get()
    }

    /// The server's address with this database's name.
    private static func address(of database: TestDatabase) throws -> Secret {
        guard let url = getenv(TestDatabase.variable).map({ String(cString: $0) }) else {
            throw Failure(what: "\(TestDatabase.variable) is not set")
        }
        return Secret(url + (url.contains("?") ? "&" : "?") + "dbname=" + database.name)
    }

    private func configure() async throws {
        let id = DerivedNames.account(merchant, name: account)
        let secrets = node.vault.seal(
            secrets: ["secretKey": Secret("inbox-test-key")],
            account: id,
            merchant: merchant
        )
        let configuration = AccountConfiguration(
            name: account,
            provider: "ecommpay",
            mode: .test,
            settings: ["currencies": ["EUR"], "projectId": 42],
            secrets: secrets,
            currencies: nil
        )
        let account = AccountCommand.configure(configuration)
        try await submit(StreamName(merchant, .account, id), account.name.rawValue, account.json)
        let routing = RoutingCommand.set([id])
        try await submit(DerivedNames.routing(merchant), routing.name.rawValue, routing.json)
    }

    func submit(_ stream: StreamName, _ name: String, _ body: Json) async throws {
        let outcome = await node.api.take(
            Submission(
                merchant: merchant,
                key: name,
                stream: stream,
                name: name,
                body: body.canonical,
                fingerprint: body,
                actor: Actor(id: "test", isOperator: true),
                account: nil,
                traceparent: nil,
                correlation: nil
            )
        )
        guard case .accepted = outcome else { throw Failure(what: "\(name): \(outcome)") }
    }

    // MARK: The backend

    /// Enqueues on the backend's own connection, in whatever transaction it is in.
    func enqueue(_ key: String, _ name: String, _ body: String) async throws -> Uuid {
        let rows = try await backend.query(
            "SELECT paystream.enqueue($1, $2, $3, $4)",
            [.text(Self.merchantName), .text(key), .text(name), .json(Array(body.utf8))]
        ) { row throws(PostgresFailure) in try row.uuid(0) }
        guard let id = rows.first else { throw Failure(what: "no inbox id") }
        return id
    }

    /// What became of an inbox row.
    func outcome(_ id: Uuid) async throws -> Json {
        try await node.registers.inboxOutcome(id, merchant) ?? ["state": "unknown"]
    }

    /// A payment that was created through the SQL entrance.
    func created(_ key: String, _ body: String) async throws -> Uuid {
        let outcome = try await finalOutcome(try await enqueue(key, "payment.create", body))
        guard outcome["state"] == "done" else { throw Failure(what: outcome.canonicalText) }
        return DerivedNames.payment(createdBy: DerivedNames.input(merchant, key: key)).uuid
    }

    func until(_ isTrue: () async throws -> Bool) async throws {
        for _ in 0..<400 {
            if try await isTrue() { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        throw Failure(what: "it never came true")
    }

    /// Asks until an outcome is final.
    func finalOutcome(_ id: Uuid) async throws -> Json {
        for _ in 0..<400 {
            let json = try await outcome(id)
            switch json["state"]?.text {
            case "done", "rejected", "refused", "quarantined": return json
            default: try await Task.sleep(for: .milliseconds(25))
            }
        }
        throw Failure(what: "the outcome never came: \(try await outcome(id).canonicalText)")
    }
}
