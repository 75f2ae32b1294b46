import Engine
import EventSourcing
import Glibc
import HttpServer
import Kernel
import Payments
import Postgres
import Store
import SystemKit
import Telemetry

/// The node's figures that are no counters: read when the page is asked for, or counted in the database now and then.
final class NodeFigures: Service {
    let name = "figures"
    let rest = Duration.seconds(10)
    let signal = Signal()
    /// The last counts.
    private struct Counted: Sendable {
        var queues: [FigureRows.Queue: FigureRows.Waiting] = [:]
        var owed: [FigureRows.Owed: Int64] = [:]
        var at: ContinuousClock.Instant?
    }

    private let metrics: MetricRegistry
    private let rows: FigureRows
    private let counted = Locked(Counted())
    private let overdue = Locked(0)
    private let begun = ContinuousClock.now

    private static let breaker = (
        name: "paystream_breaker_open", help: "Whether payments pass an account over: 1 open, 0 closed or being tried."
    )

    init(_ metrics: MetricRegistry, _ store: PostgresStore) {
        self.metrics = metrics
        rows = FigureRows(store)
    }

    // MARK: Counting

    /// Counts everything that waits in the database.
    func runOnce() async throws(StoreFailure) -> Int {
        var fresh = Counted(queues: try await rows.queues(), owed: try await rows.owed())
        fresh.at = .now
        let whole = fresh
        counted.withLock { $0 = whole }
        return 0
    }

    /// Schedules that should have begun; answers how many were known before.
    func know(overdue found: Int) -> Int {
        overdue.withLock { known in
            defer { known = found }
            return known
        }
    }

    /// The breakers of a merchant's accounts.
    func know(_ routing: Routing, of accounts: [Account], _ merchant: String) {
        for account in accounts {
            guard let facts = account.configuration else { continue }
            let isOpen =
                switch routing.breakers[account.id]?.phase {
                case .open?: true
                case .closed?, .halfOpen?, nil: false
                }
            metrics.gauge(
                Self.breaker.name,
                help: Self.breaker.help,
                labels: ["account": facts.name, "merchant": merchant, "provider": facts.provider]
            ).set(isOpen ? 1 : 0)
        }
    }

    // MARK: The page

    /// `answering` is the part of the pool that requests take from.
    func register(_ pool: PostgresPool, _ answering: PostgresPool, _ server: HttpServer) {
        metrics.declare(.gauge, Self.breaker.name, help: Self.breaker.help)
        metrics.declare(.gauge, CertificateWatch.metric.name, help: CertificateWatch.metric.help)
        metrics.sample("paystream_connections_open", help: "Database connections.") { Int64(pool.counts.open) }
        metrics.sample("paystream_connections_waiting", help: "Callers that wait for a database connection.") {
            Int64(pool.counts.waiting + answering.counts.waiting)
        }
        metrics.sample(
            "paystream_database_statements_total",
            help: "Statements sent to the database.",
            kind: .counter
        ) { SentStatements.count }
        metrics.sample("paystream_http_requests_open", help: "HTTP requests under way.") {
            Int64(server.activity.requests)
        }
        metrics.sample("paystream_schedules_overdue", help: "Schedules that were due two minutes ago and not begun.") {
            [overdue] in Int64(overdue.withLock { $0 })
        }
        metrics.sample(
            "paystream_build_info",
            help: "Always 1; the labels say what runs.",
            labels: ["build": Version.build, "schema": "\(Migrator.latest)", "version": Version.text]
        ) { 1 }
        registerCounted()
        registerProcess()
    }

    private func registerCounted() {
        let counted = counted
        for queue in FigureRows.Queue.allCases {
            let labels: KeyValuePairs<String, String> = ["queue": queue.rawValue]
            metrics.sample("paystream_queue_depth", help: "What waits in the database, by queue.", labels: labels) {
                counted.withLock { $0.queues[queue]?.count ?? 0 }
            }
            metrics.sample(
                "paystream_queue_age_seconds",
                help: "How long the oldest of a queue has waited.",
                labels: labels,
                unit: .seconds
            ) { counted.withLock { $0.queues[queue]?.oldest.wholeMicroseconds ?? 0 } }
        }
        for owed in FigureRows.Owed.allCases {
            metrics.sample(
                "paystream_unresolved",
                help:
                    "What is unresolved, by kind; payments_operator and the kinds that are no payments need a person.",
                labels: ["what": owed.rawValue]
            ) { counted.withLock { $0.owed[owed] ?? 0 } }
        }
        metrics.sample(
            "paystream_counted_age_seconds",
            help: "How old the counts of the database are: queues, unresolved.",
            unit: .seconds
        ) { [begun] in (counted.withLock { $0.at } ?? begun).duration(to: .now).wholeMicroseconds }
    }

    /// By the names that Prometheus' client libraries use.
    private func registerProcess() {
        let start = WallClock.now().microseconds
        metrics.sample("process_start_time_seconds", help: "When the process began, since 1970.", unit: .seconds) {
            start
        }
        metrics.sample(
            "process_cpu_seconds_total",
            help: "Processor time of the process.",
            kind: .counter,
            unit: .seconds
        ) { ProcessFacts.processorMicroseconds }
        metrics.sample("process_resident_memory_bytes", help: "Memory that the process holds.") {
            ProcessFacts.residentBytes
        }
        metrics.sample("process_open_fds", help: "Open file descriptors.") { ProcessFacts.openFiles }
        metrics.sample("process_max_fds", help: "File descriptors that the process may have.") {
            ProcessFacts.mostFiles
        }
    }
}

/// Reads what the kernel says of this process.
private enum ProcessFacts {
    static var processorMicroseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    static var residentBytes: Int64 {
        let pages = FileTree.text("/proc/self/statm")?.split(separator: " ").dropFirst().first.flatMap { Int64($0) }
        return (pages ?? 0) * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }

    static var openFiles: Int64 { Int64(FileTree.names(in: "/proc/self/fd").count) }

    static var mostFiles: Int64 { Int64(OpenFiles.most) }
}
