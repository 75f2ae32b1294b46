package import Api
import Console
package import Crypto
import Dolyame
import Ecommpay
package import Engine
package import EventSourcing
import Http
import HttpClient
import HttpServer
import Kernel
import Payments
import Portmone
import Postgres
package import ProviderKit
import SberPay
package import Store
import SystemKit
package import Telemetry
import WorldlineDirect

/// One daemon process put together: store, engine, API and server.
package final class Node: Sendable {
    package let store: PostgresStore
    package let registers: Registers
    package let views: ReadModels
    package let engine: Engine
    package let api: Api
    package let vault: KeyVault
    private let inbox: InboxService
    package let ring: KeyRing
    package let metrics = MetricRegistry()
    package let address: String
    /// Tells it from other nodes in leases and logs.
    package let name: String
    private let publicUrl: String
    package let port: UInt16
    private let pool: PostgresPool
    private let server: HttpServer
    private let metricsServer: HttpServer?
    private let client: HttpClient
    private let clock: DatabaseClock
    private let log: Logger
    private let isDraining = Locked(false)
    private let certificates: CertificateWatch
    private let followers: FollowerWatch
    private let webhooks: WebhookService
    private let figures: NodeFigures
    private let requestLog: RequestLogService

    /// The adapters of this daemon.
    package static let adapters = AdapterRegistry([
        DolyameAdapter(), EcommpayAdapter(), PortmoneAdapter(), SberPayAdapter(), WorldlineAdapter(),
    ])

    /// Connects, composes and binds; nothing is worked on before `run`.
    ///
    /// The public address defaults to the one that is bound, so the server is started first and answers `503` until the
    /// engine stands. `drilled` puts something around what the engine stands on.
    package init(_ configuration: DaemonConfiguration, log: Logger, drilled: NodePorts.Wrap = { $0 }) async throws {
        self.log = log
        let clock = DatabaseClock()
        self.clock = clock
        ring = try MasterKeyFile.read(configuration.masterKeyFile)
        try await Self.checkSchema(configuration)
        pool = PostgresPool(PostgresOptions(address: configuration.database), limit: configuration.connections)
        store = PostgresStore(pool)
        try await clock.read(from: store)
        registers = Registers(store)
        try await Self.install(InstallationRows(store), ring, configuration)
        client = HttpClient()
        let sender = WebhookTransport.client(configuration.webhookAddresses)
        let front = Front()
        server = Self.server(configuration, front)
        port = try server.start()
        address = "http://\(configuration.listenAddress):\(port)"
        publicUrl = configuration.publicUrl ?? address
        let subjects = SubjectRows(registers: registers, ring: ring)
        let (random, now) = (SystemRandom(), { @Sendable () -> Timestamp in clock.now })
        name = "node-\(random.uuid(at: clock.now).compact.suffix(12))"
        let ports = drilled(NodePorts(store: store, keys: subjects, transport: client))
        vault = KeyVault(ring: ring, rows: ports.keys, random: random, clock: now)
        let clocks = StoreClocks(ClockRows(store))
        certificates = CertificateWatch(vault: vault, adapters: Self.adapters)
        engine = Engine(
            EngineParts(
                store: ports.store,
                adapters: Self.adapters,
                vault: vault,
                quarantine: subjects,
                transport: ports.transport,
                publicUrl: publicUrl,
                clock: now,
                log: log,
                meters: EngineMeters(metrics),
                owner: name,
                build: Version.text,
                zones: StoreZones(rows: ZoneRows(store), calendars: CalendarRows(store)),
                clocks: clocks,
                recovery: RecoveryRows(store)
            )
        )
        views = ReadModels(store, streamCache: engine.streamCache, folds: engine.folds)
        let answering = pool.part(atMost: configuration.answeringConnections)
        figures = NodeFigures(metrics, store)
        followers = FollowerWatch(views.all, metrics, log)
        webhooks = WebhookService(WebhookRows(store), name, engine, ports.store, vault, sender, now, metrics, log)
        let vitals = NodeVitals(store, metrics, followers, isDraining, configuration)
        let tables = Self.tables(answering, store, registers, ring, engine, clocks)
        let (watch, requests) = (RequestWatch(metrics, log), RequestLog())
        requestLog = RequestLogService(requests, store, metrics)
        api = Self.api(engine, vault, ring, tables, vitals, watch, requests, configuration, random, now, log)
        inbox = InboxService(queue: ports.store, api: api, clock: now)
        // What is served has all its figures from the first look on.
        figures.register(pool, answering, server)
        metricsServer = try MetricsServer.open(configuration, metrics, log)
        let links = PaymentLinkPages(api: api, publicUrl: publicUrl, random: random, watch: watch, clock: now)
        front.open(api, console(PostgresStore(answering), random, watch), links)
    }

    /// What requests ask: whoever does waits among those who ask, and payments go on with the connections that are left.
    ///
    /// Keys, and who gave an address, come before a payment and wait for none of them.
    private static func tables(
        _ answering: PostgresPool,
        _ store: PostgresStore,
        _ registers: Registers,
        _ ring: KeyRing,
        _ engine: Engine,
        _ clocks: StoreClocks
    ) -> StoreTables {
        let asked = PostgresStore(answering)
        let views = ReadModels(asked, streamCache: engine.streamCache, folds: engine.folds)
        let payers = PayerIndex(store) { () async throws(StoreFailure) in try await engine.book.epoch() }
        return StoreTables(asked, registers, ring, views, clocks, payers: payers)
    }

    private func console(_ store: PostgresStore, _ random: SystemRandom, _ watch: RequestWatch) -> Console {
        let clock = clock
        return Console(
            api: api,
            sessions: StoreSessions(rows: ConsoleRows(store), registers: Registers(store), ring: ring),
            publicUrl: publicUrl,
            random: random,
            watch: watch,
            clock: { clock.now },
            log: log
        )
    }

    /// Proves the master key, and keeps for SQL what adapters declare to be identifiers.
    private static func install(_ rows: InstallationRows, _ ring: KeyRing, _ configuration: DaemonConfiguration)
        async throws
    {
        try await MasterKeyProof(ring: ring, file: configuration.masterKeyFile).hold(rows)
        try await rows.keep(identifierPaths: adapters.commandIdentifiers)
    }

    private static func api(
        _ engine: Engine,
        _ vault: KeyVault,
        _ ring: KeyRing,
        _ tables: StoreTables,
        _ vitals: NodeVitals,
        _ watch: RequestWatch,
        _ requests: RequestLog,
        _ configuration: DaemonConfiguration,
        _ random: SystemRandom,
        _ now: @escaping @Sendable () -> Timestamp,
        _ log: Logger
    ) -> Api {
        let reader = Reader(
            streamCache: engine.streamCache,
            folds: engine.folds,
            tables: tables,
            notifier: engine.notifier,
            zones: engine.zones,
            adapters: adapters,
            now: now
        )
        return Api(
            engine: engine,
            reader: reader,
            vault: vault,
            keys: ring,
            vitals: vitals,
            adapters: adapters,
            places: connections - connections / 8,
            amounts: configuration.amounts,
            webhookAddresses: configuration.webhookAddresses,
            watch: watch,
            requestLog: requests,
            clock: now,
            random: random,
            log: log
        )
    }

    /// How many connections the server has places for: a full house must leave files for the database, the providers and ourselves.
    private static let connections = min(
        HttpServerConfiguration().maximumConnections,
        max(16, OpenFiles.raise() / 2)
    )

    private static func server(_ configuration: DaemonConfiguration, _ front: Front) -> HttpServer {
        var server = HttpServerConfiguration()
        server.address = configuration.listenAddress
        server.port = configuration.listenPort
        server.maximumConnections = connections
        // Above the longest `Prefer: wait`, so that the API answers and not the server.
        server.handlerDeadline = .seconds(Limits.waitSeconds + 15)
        server.intake = { head in
            if let most = Console.uploadBytes(head) { return BodyIntake(limit: most, isStreamed: true) }
            guard case .found(let endpoint, let path) = Endpoints.router.match(head) else {
                return BodyIntake(limit: Limits.apiBodyBytes)
            }
            let limit = endpoint.bodyBytes(of: path["provider"].flatMap { adapters[$0] })
            return BodyIntake(limit: limit, isStreamed: endpoint.isStreamed)
        }
        let proxies = configuration.trustedProxies
        server.maximumConnectionsPerAddress = configuration.connectionsPerAddress
        server.isProxy = { address in
            SourceAddress(address).map { known in proxies.contains { $0.contains(known) } } ?? false
        }
        return HttpServer(configuration: server) { request, connection in
            let sender = SourceChain.client(
                peer: connection.remoteAddress,
                forwarded: request.headers.all("X-Forwarded-For"),
                trusted: proxies
            )
            let peer = Peer(address: sender?.description ?? connection.remoteAddress)
            return await front.answer(request, from: peer, body: connection.body)
        }
    }

    /// Refuses a database whose schema is not this program's.
    package static func checkSchema(_ configuration: DaemonConfiguration) async throws {
        let version = try await Migrator(PostgresOptions(address: configuration.database)).currentVersion()
        guard version == Migrator.latest else {
            throw UsageError(
                version < Migrator.latest
                    ? "the schema is at \(version) and this program needs \(Migrator.latest): run 'paystream migrate'"
                    : "the schema is at \(version), newer than this program's \(Migrator.latest)"
            )
        }
    }

    /// As whom the node works, and how the world reaches it; said once at the start, and logged.
    package func introduction() async throws(StoreFailure) -> String {
        guard let (role, database, version) = try await registers.session() else { return "" }
        log.info(
            "started",
            [
                "build": .text(Version.build), "database": .text(database), "listen": .text(address),
                "node": .text(name), "postgresql": .text(version), "publicUrl": .text(publicUrl), "role": .text(role),
                "version": .text(Version.text),
            ]
        )
        return
            "as \(name), role '\(role)' in database '\(database)' of PostgreSQL \(version), public address \(publicUrl)"
    }

    /// Works until `drain`, then finishes what was begun.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.engine.run() }
            for service in services {
                group.addTask { await self.engine.services.run(service) }
            }
        }
        await webhooks.finish(within: .seconds(3))
        await requestLog.finish()
        await client.stop()
        await pool.drain()
    }

    /// Services of the node beside the engine.
    private var services: [any Service] {
        [
            FollowerService(views.payments, rungBy: engine.notifier.log),
            FollowerService(views.bills, rungBy: engine.notifier.bills),
            FollowerService(views.schedules, rungBy: engine.notifier.schedules),
            // They are few, so nobody rings for them.
            FollowerService(views.instruments),
            // Books may come a moment later: larger pages cost less.
            FollowerService(views.movements),
            FollowerService(views.events, rungBy: engine.notifier.events, telling: api.tail.signal),
            EventTailService(tail: api.tail, feed: EventFeed(store)),
            inbox, webhooks,
            ClockService(clock: clock, queue: store),
            followers, figures, requestLog,
            Janitor(store: store, registers: registers, log: log) { [clock] in clock.now },
            SettlementWatch(reviews: SettlementReviews(store), clock: { [clock] in clock.now }, log: log),
            OverdueWatch(registers: registers, figures: figures, log: log),
            BreakerWatch(store: store, registers: registers, figures: figures),
            CertificateService(
                watch: certificates,
                store: store,
                registers: registers,
                metrics: metrics,
                log: log,
                clock: clock
            ),
        ]
    }

    /// Refuses new requests, lets running ones end, then the services.
    package func drain() async {
        isDraining.withLock { $0 = true }
        api.tail.close()
        _ = await server.drain(deadline: .seconds(20))
        _ = await metricsServer?.drain(deadline: .seconds(1))
        engine.drain()
    }

    /// The merchant of this name, made where there is none yet.
    package func makeMerchant(_ name: String) async throws -> MerchantNumber {
        let made = try await registers.makeMerchant(named: name)
        if made.isNew {
            try await Administration(commands: engine.commands, ring: ring, actor: Administration.owner)
                .act(.create(name: name), on: made.number)
        }
        return made.number
    }

    /// Whether an API key would be let in.
    package func isUsable(_ key: String) async throws(StoreFailure) -> Bool {
        try await registers.usableKey(hashes: ring.codes(.apiKey, Array(key.utf8))) != nil
    }
}
