import Glibc
import Kernel
import Telemetry

/// `paystream serve`: the daemon in production.
struct ServeCommand: Command {
    static let name = "serve"
    static let summary = "Run the daemon; DATABASE_URL and PAYSTREAM_MASTER_KEY_FILE say on what."
    static let usage = ""

    func run(arguments: [String]) async throws -> Int32 {
        try parse(arguments).demandNoRest()
        let configuration = try DaemonConfiguration.fromEnvironment()
        try MemoryCover.draw()
        let sink = QueuedSink()
        let node = try await Node(configuration, log: Logger(sink: sink, now: WallClock.now))
        StandardStream.output.write("paystream \(Version.text) listens on \(node.address)\n")
        await NodeRunner.run(node)
        sink.close()
        return 0
    }
}

/// Runs a node until the process is asked to end.
enum NodeRunner {
    /// SIGTERM and SIGINT drain; a second one ends at once.
    static func run(_ node: Node) async {
        let signals = EndSignals()
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

/// The machine's clock, for log lines and ids outside decisions.
enum WallClock {
    static let now: @Sendable () -> Timestamp = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}
