import Api
package import Crypto
import Dolyame
import Ecommpay
import Engine
import EventSourcing
import Http
import HttpClient
import HttpServer
import Kernel
import Portmone
import Postgres
package import ProviderKit
import SberPay
package import Store
package import Telemetry
import WorldlineDirect

/// One daemon process put together: store, engine, API and server.
package final class Node: Sendable {
    package let store: PostgresStore
    package let registers: Registers
    let view: PaymentView
    let billView: BillView
    let instruments: InstrumentView
    let schedules: ScheduleView
    let engine: Engine
    package let desks: EngineDesks
    private let inbox: InboxDesk
    package let ring: KeyRing
    let metrics = MetricRegistry()
    package let address: String
    /// Tells it from other nodes in leases and logs.
    let name: String
    private let publicUrl: String
    let port: UInt16
    private let pool: PostgresPool
    private let server: HttpServer
    private let metricsServer: HttpServer?
    private let client: HttpClient
    private let clock: DatabaseClock
    private let log: Logger
    private let isDraining = Locked(false)
    private let certificates: CertificateWatch
    private let followers: FollowerWatch
    private let figures: NodeFigures

    /// The adapters of this daemon.
    package static let adapters = AdapterRegistry([
        DolyameAdapter(), EcommpayAdapter(), PortmoneAdapter(), SberPayAdapter(), WorldlineAdapter(),
    ])

    /// Connects, composes and binds; nothing is worked on before `run`.
    ///
    /// The public address defaults to the one that is bound, so the server is started first and answers `503` until the
    /// engine stands.
    package init(_ configuration: DaemonConfiguration, log: Logger) async throws {
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
        let front = Front()
        server = Self.server(configuration, front)
        port = try server.start()
        metricsServer = try MetricsDoor.open(configuration, metrics, log)
        address = "http://\(configuration.listenAddress):\(port)"
        publicUrl = configuration.publicUrl ?? address
        let storeDesks = StoreDesks(registers: registers, ring: ring)
        let (random, now) = (SystemRandom(), { @Sendable () -> Timestamp in clock.now })
        name = "node-\(random.uuid(at: clock.now).compact.suffix(12))"
        let ports = DrilledPorts(store, storeDesks, CurlTransport(client: client))
        let vault = KeyVault(ring: ring, rows: ports.keys, random: random, clock: now)
        let clocks = StoreClocks(ClockRows(store))
        certificates = CertificateWatch(vault: vault, adapters: Self.adapters)
        engine = Engine(
            EngineParts(
                store: ports.store,
                adapters: Self.adapters,
                vault: vault,
                quarantine: storeDesks,
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
        view = PaymentView(store, histories: engine.histories)
        billView = BillView(store, histories: engine.histories)
        instruments = InstrumentView(store, histories: engine.histories)
        schedules = ScheduleView(store, histories: engine.histories)
        figures = NodeFigures(metrics, store)
        let matters = OpenMatters(store, registers)
        let reader = StoreReader(engine, view, instruments, schedules, registers, matters, now: now)
        desks = EngineDesks(engine: engine, vault: vault, keys: ring, access: storeDesks, reader: reader, clock: now)
        let billDesks = BillDesks(desks: desks, view: billView)
        let keys = StoreKeyDesk(registers: registers, ring: ring)
        followers = FollowerWatch([view, billView, instruments, schedules], metrics)
        let vitals = NodeVitals(store, metrics, followers, isDraining, configuration)
        let apiPorts = Self.ports(desks, billDesks, clocks, store, keys, vitals)
        let api = Self.api(apiPorts, configuration, metrics, log, random, now)
        inbox = InboxDesk(queue: ports.store, api: api, desks: desks, bills: billDesks, clock: now)
        front.open(api)
    }

    /// Proves the master key, and keeps for SQL what adapters declare to be identifiers.
    private static func install(_ rows: InstallationRows, _ ring: KeyRing, _ configuration: DaemonConfiguration)
        async throws
    {
        try await MasterKeyProof(ring: ring, file: configuration.masterKeyFile).hold(rows)
        try await rows.keep(identifierPaths: adapters.commandIdentifiers)
    }

    private static func api(
        _ ports: ApiPorts,
        _ configuration: DaemonConfiguration,
        _ metrics: MetricRegistry,
        _ log: Logger,
        _ random: SystemRandom,
        _ now: @escaping @Sendable () -> Timestamp
    ) -> Api {
        Api(
            ports: ports,
            adapters: adapters,
            places: connections - connections / 8,
            amounts: configuration.amounts,
            watch: RequestWatch(metrics, log),
            clock: now,
            random: random,
            log: log
        )
    }

    private static func ports(
        _ desks: EngineDesks,
        _ bills: BillDesks,
        _ clocks: StoreClocks,
        _ store: PostgresStore,
        _ keys: StoreKeyDesk,
        _ vitals: NodeVitals
    ) -> ApiPorts {
        ApiPorts(
            commands: desks,
            reader: desks.reader,
            handovers: desks,
            inquiries: desks,
            notifications: desks,
            personal: desks,
            once: desks,
            bills: bills,
            clocks: clocks,
            dunning: StoreDunning(DunningRows(store)),
            calendars: StoreCalendars(zoneRows: ZoneRows(store), calendarRows: CalendarRows(store)),
            keys: keys,
            vitals: vitals
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
        server.bodyLimit = { head in
            if case .found(let route, let path) = Route.router.match(head) {
                return route.bodyBytes(of: path["provider"].flatMap { adapters[$0] })
            }
            if case .found(let route, _) = BillRoute.router.match(head) { return route.bodyBytes }
            return Limits.apiBodyBytes
        }
        server.isStreamed = { head in
            if case .found(let route, _) = BillRoute.router.match(head) { return route.isStreamed }
            return false
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
    static func checkSchema(_ configuration: DaemonConfiguration) async throws {
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
    func introduction() async throws(StoreFailure) -> String {
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
        figures.register(pool, server)
        await withDiscardingTaskGroup { group in
            group.addTask { await self.engine.run() }
            group.addTask { await self.follow(self.view, self.engine.board.log) }
            group.addTask { await self.follow(self.billView, self.engine.board.bills) }
            group.addTask { await self.follow(self.schedules, self.engine.board.schedules) }
            // They are few, so nobody rings for them.
            group.addTask { await self.follow(self.instruments, nil) }
            group.addTask { await self.takeInbox() }
            group.addTask { await self.keepTime() }
        }
        await client.stop()
        await pool.drain()
    }

    /// Refuses new requests, lets running ones end, then the loops.
    package func drain() async {
        isDraining.withLock { $0 = true }
        _ = await server.drain(deadline: .seconds(20))
        _ = await metricsServer?.drain(deadline: .seconds(1))
        engine.drain()
        engine.board.log.ring()
        engine.board.bills.ring()
        engine.board.schedules.ring()
    }

    /// Whether an API key would be let in.
    func isUsable(_ key: String) async throws(StoreFailure) -> Bool {
        try await registers.usableKey(hashes: ring.codes(.apiKey, Array(key.utf8))) != nil
    }

    private var mustEnd: Bool { isDraining.withLock { $0 } }

    /// The read model lets events gather for so long: a page costs as much as its first event.
    private static let gathering = Duration.milliseconds(10)

    /// Keeps a read model behind the log; without a bell it looks now and then.
    private func follow(_ view: some FollowedView, _ bell: Doorbell?) async {
        while !mustEnd {
            do throws(StoreFailure) {
                switch try await view.followOnce() {
                case ViewFollower.page...: continue
                case 1... where bell != nil: try? await Task.sleep(for: Self.gathering)
                default: await rest(bell)
                }
            } catch {
                log.warning(
                    "read model waits",
                    [
                        "code": .text(error.code.rawValue), "detail": .text(error.detail),
                        "view": .text(view.follower.name),
                    ]
                )
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func rest(_ bell: Doorbell?) async {
        guard let bell else {
            try? await Task.sleep(for: Self.unhurried)
            return
        }
        await bell.wait(atMost: .milliseconds(250))
    }

    private static let unhurried = Duration.milliseconds(200)

    /// Takes what backends enqueued, and looks again soon where there is nothing.
    private func takeInbox() async {
        while !mustEnd {
            do throws(StoreFailure) {
                if try await inbox.runOnce() == 0 { try? await Task.sleep(for: Self.inboxPause) }
            } catch {
                log.warning("inbox waits", ["code": .text(error.code.rawValue), "detail": .text(error.detail)])
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    private static let inboxPause = Duration.milliseconds(100)
    /// Every six hours.
    private static let certificateRounds = 6 * 3600 / 2

    /// Drops what has expired and gives the log partitions ahead of its end.
    private func keepHouse() async {
        do throws(StoreFailure) {
            _ = try await registers.dropExpiredOriginals()
            let made = try await store.extendLog()
            if made > 0 { log.info("log extended", ["partitions": .integer(Int64(made))]) }
        } catch {
            log.warning("chores wait", ["code": .text(error.code.rawValue), "detail": .text(error.detail)])
        }
    }

    /// Counts what should have been charged by now; an operator hears of it.
    private func watchSchedules() async {
        guard let found = try? await registers.overdueSchedules(by: Self.overdueAfter) else { return }
        let before = figures.know(overdue: found)
        if found > 0, before == 0 { log.warning("schedules are overdue", ["schedules": .integer(Int64(found))]) }
        if found == 0, before > 0 { log.info("no schedule is overdue any more", [:]) }
    }

    /// Counts what waits in the database.
    private func countFigures() async {
        do throws(StoreFailure) { try await figures.count() } catch {
            log.warning("figures wait", ["code": .text(error.code.rawValue), "detail": .text(error.detail)])
        }
    }

    private func watchBreakers() async {
        let reader = StoreReader.detached(store, registers)
        do {
            for (merchant, name) in try await registers.merchants() {
                let accounts = try await reader.accounts(merchant: merchant)
                figures.know(try await reader.routing(merchant: merchant), of: accounts, name)
            }
        } catch {
            log.warning("breakers wait", ["detail": .text(FailureText.of(error))])
        }
    }

    private static let overdueAfter = Duration.seconds(120)

    /// Looks at the certificates of all accounts.
    private func watchCertificates() async {
        do {
            for (merchant, _) in try await registers.merchants() {
                let accounts = try await StoreReader.detached(store, registers).accounts(merchant: merchant)
                for known in await certificates.certificates(of: accounts, merchant) {
                    certificates.tell(known, metrics, log, at: clock.now)
                }
            }
        } catch {
            log.warning("certificates wait", ["detail": .text(FailureText.of(error))])
        }
    }

    /// Reads the database's clock and does the chores of every few seconds.
    private func keepTime() async {
        var round = 0
        while !mustEnd {
            try? await clock.read(from: store)
            if round % 60 == 0 { await keepHouse() }
            if round % 5 == 0 { await watchSchedules() }
            if round % 5 == 0 { await countFigures() }
            if round % 15 == 0 { await watchBreakers() }
            await followers.look(log)
            if round % Self.certificateRounds == 0 { await watchCertificates() }
            round += 1
            for _ in 0..<20 where !mustEnd { try? await Task.sleep(for: .milliseconds(100)) }
        }
    }
}
