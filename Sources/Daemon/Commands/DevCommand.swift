import Engine
import Kernel
import Telemetry

/// `paystream dev`: a daemon for development that needs no configuration.
struct DevCommand: Command {
    static let name = "dev"
    static let summary = "Run PostgreSQL, the sandbox and the daemon here, without configuration."
    static let usage = "[--stop]"
    static let options = [
        CommandOption("stop", summary: "stop the PostgreSQL and the sandbox that outlive the daemon")
    ]

    func run(arguments: [String]) async throws -> Int32 {
        let parsed = try parse(arguments)
        try parsed.demandNoRest()
        if parsed.has("stop") {
            try await DevEnvironment.stop()
            return 0
        }
        return try await DevSession.run { _, _ in true }
    }
}

/// A development daemon for as long as something is done with it, or until Ctrl-C.
enum DevSession {
    /// Prepares everything, runs the daemon, does `work`, and keeps serving where that answers `true`.
    ///
    /// Exits with 0 where all went well, else 1.
    static func run(
        _ work: @escaping @Sendable (DevEnvironment, ApiClient) async throws -> Bool,
        proof: Bool = false,
        exitAfter: Bool = false
    ) async throws -> Int32 {
        let environment = try await DevEnvironment.prepare { StandardStream.error.write("· \($0)\n") }
        let sink = QueuedSink()
        let logger = Logger(sink: sink, least: .warning, now: WallClock.now)
        let node = try await Node(environment.configuration, log: logger)
        let signals = EndSignals()
        let outcome = Locked<Result<Bool, any Error>?>(nil)
        await withDiscardingTaskGroup { group in
            group.addTask { await node.run() }
            group.addTask {
                do {
                    let client = try await environment.equip(node)
                    var isGood = try await work(environment, client)
                    if proof {
                        isGood = try await isReplayed(node) && isGood
                        isGood = try await isLicensed(node) && isGood
                    }
                    let verdict = isGood
                    outcome.withLock { $0 = .success(verdict) }
                    await client.stop()
                    if !exitAfter { announce(node, environment) }
                } catch {
                    outcome.withLock { $0 = .failure(error) }
                    StandardStream.error.write("\(error)\n")
                }
                if exitAfter { signals.raise() }
            }
            group.addTask {
                await signals.wait()
                await node.drain()
            }
        }
        signals.close()
        sink.close()
        if case .success(true)? = outcome.withLock({ $0 }) { return 0 }
        return 1
    }

    /// Decides every recorded input again and says what came of it.
    private static func isReplayed(_ node: Node) async throws -> Bool {
        let report = try await node.engine.replay.verify()
        for difference in report.differences {
            StandardStream.output.write("replay: \(difference.stream) at \(difference.position): \(difference.what)\n")
        }
        let verdict = report.isClean ? "no difference" : "\(report.differences.count) differences"
        StandardStream.output.write("replay of \(report.decisions) decisions, \(report.events) events: \(verdict)\n")
        return report.isClean
    }

    /// Holds every send against its licence and says what came of it.
    private static func isLicensed(_ node: Node) async throws -> Bool {
        let report = try await LicenceRun.verify(node.store)
        StandardStream.output.write(LicenceRun.text(report))
        return report.isClean
    }

    private static func announce(_ node: Node, _ environment: DevEnvironment) {
        StandardStream.output.write(
            """

            API            \(node.address)/v1      OpenAPI \(node.address)/openapi.json
            sandbox        \(environment.sandbox)/sandbox
            ledger         \(environment.sandbox)/sandbox/ledger
            variables      . ./\(DevFile.path)     (PAYSTREAM_URL, PAYSTREAM_KEY, …)

            Ctrl-C stops the daemon; 'paystream cluster stop' stops PostgreSQL.

            """
        )
    }
}
