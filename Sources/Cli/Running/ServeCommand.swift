import Daemon
import Drill
import Glibc
import Kernel
import SystemKit
import Telemetry

/// `paystream serve`: the daemon in production.
struct ServeCommand: Command {
    static let name = "serve"
    static let summary = "Run the daemon; DATABASE_URL and PAYSTREAM_MASTER_KEY_FILE say on what."
    static let usage = ""
    static let notes = """
        DATABASE_URL               libpq address of the database
        PAYSTREAM_MASTER_KEY_FILE  file with the master key, mode 0600
        PAYSTREAM_LISTEN           address and port (default: 127.0.0.1:8080); port 0 takes a free one
        PAYSTREAM_METRICS_LISTEN   address and port for /metrics alone (default: beside the API, for this machine)
        PAYSTREAM_PUBLIC_URL       how providers and browsers reach this daemon (default: where it listens)
        PAYSTREAM_CONNECTIONS      database connections at most (default: 8), of which requests leave three to payments
        PAYSTREAM_TRUSTED_PROXIES  networks whose X-Forwarded-For is believed, as in 10.0.0.0/8,fd00::/8
        PAYSTREAM_CONNECTIONS_PER_ADDRESS  of one address, of version 6 by 64 bits (default: 1024)
        PAYSTREAM_AMOUNT_LIMIT     minor units at most, as in 1000000000000,JPY=100000000000000
        PAYSTREAM_DATABASE_WAIT    seconds that the start waits for a database that is away (default: 60)
        SIGTERM and SIGINT drain: what runs is finished; a second one ends at once.
        """

    func run(arguments: [String]) async throws -> Int32 {
        try parse(arguments).demandNoRest()
        let configuration = try DaemonConfiguration.fromEnvironment()
        try MemoryCover.draw()
        let sink = QueuedSink()
        defer { sink.close() }
        let log = Logger(sink: sink, now: WallClock.now)
        try await DatabaseWait.wait(configuration, log)
        let node = try await Node(configuration, log: log, drilled: DrilledPorts.around)
        let signals = EndSignals()
        StandardStream.output.write("paystream \(Version.text) listens on \(node.address)\n")
        StandardStream.output.write(try await node.introduction() + "\n")
        await NodeRunner.run(node, until: signals)
        return 0
    }
}

/// Runs a node until the process is asked to end.
enum NodeRunner {
    /// SIGTERM and SIGINT drain; a second one ends at once.
    static func run(_ node: Node, until signals: EndSignals) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await node.run() }
            group.addTask {
                await signals.wait()
                await node.drain()
            }
        }
        signals.close()
    }
}
