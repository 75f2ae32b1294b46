import Daemon
import Decisions
import Dev
import Drill
import Engine
import Kernel
import Store
import SystemKit
import Telemetry

/// `paystream dev`: a daemon for development that needs no configuration.
struct DevCommand: Command {
    static let name = "dev"
    static let summary = "Run PostgreSQL, the sandbox and the daemon here, without configuration."
    static let usage = "[--stop | --reset [--yes]]"
    static let options = [
        CommandOption("stop", summary: "stop the PostgreSQL and the sandbox that outlive the daemon; nothing is lost"),
        CommandOption(
            "reset",
            summary: "stop them and remove all they kept, behind a question; the next start begins anew"
        ),
        CommandOption("yes", summary: "with --reset: ask nothing"),
    ]
    static let notes = """
        --reset is refused while a daemon runs, and where the database has a live account or a payment of one, whatever is answered.
        """

    func run(arguments: [String]) async throws -> Int32 {
        let parsed = try parse(arguments)
        try parsed.demandNoRest()
        if parsed.has("stop") {
            try await DevEnvironment.stop()
            return 0
        }
        guard parsed.has("reset") else {
            guard !parsed.has("yes") else { throw UsageError("--yes goes with --reset") }
            return try await DevSession.run { _, _, _ in true }
        }
        let isRemoved = try await DevEnvironment.reset { contents in
            if parsed.has("yes") { return true }
            return try Self.isWanted(contents)
        }
        StandardStream.error.write(
            isRemoved ? "removed database, keys and the sandbox's ledger\n" : "kept everything as it is\n"
        )
        return isRemoved ? 0 : 1
    }

    /// Asks whoever sits there; where nobody does, nothing is removed.
    private static func isWanted(_ contents: DevContents) throws(UsageError) -> Bool {
        StandardStream.error.write(
            "This removes the database with \(contents.payments) payments of \(contents.merchants) merchants, its keys and the "
                + "sandbox's ledger, for good. Type 'yes' to go on: "
        )
        guard let answer = readLine() else {
            throw UsageError("nobody answers; 'paystream dev --reset --yes' asks nothing")
        }
        return answer == "yes"
    }
}

/// A development daemon for as long as something is done with it, or until Ctrl-C.
enum DevSession {
    /// Work beside the daemon; answers whether all went well.
    typealias Work = @Sendable (DevEnvironment, ApiClient, Node) async throws -> Bool

    /// Prepares everything, runs the daemon, does `work`, and keeps serving unless it ends behind that.
    ///
    /// Exits with 0 where all went well, else 1. Who ends behind its work leaves nothing running that did not run before,
    /// and does the same when it is told to end earlier.
    static func run(_ work: @escaping Work, proof: Bool = false, exitAfter: Bool = false) async throws -> Int32 {
        let signals = EndSignals()
        defer { signals.close() }
        let before = try await DevEnvironment.running()
        let outcome: Result<Int32, any Error>
        do {
            outcome = .success(try await serve(work, signals, proof: proof, exitAfter: exitAfter))
        } catch { outcome = .failure(error) }
        if exitAfter { try await DevEnvironment.stop(except: before) }
        return try outcome.get()
    }

    private static func serve(_ work: @escaping Work, _ signals: EndSignals, proof: Bool, exitAfter: Bool) async throws
        -> Int32
    {
        let environment = try await DevEnvironment.prepare { StandardStream.error.write("· \($0)\n") }
        guard !signals.isRaised else { return EndSignals.exitCode }
        let sink = QueuedSink()
        defer { sink.close() }
        let logger = Logger(sink: sink, least: .warning, now: WallClock.now)
        let node = try await Node(environment.configuration, log: logger, drilled: DrilledPorts.around)
        let working = Task { () async throws -> Bool in
            let client = try await environment.equip(node)
            var isGood = try await work(environment, client, node)
            if proof {
                isGood = try await isReplayed(node) && isGood
                isGood = try await isLicensed(node) && isGood
                isGood = try await isBooked(node) && isGood
            }
            await client.stop()
            return isGood
        }
        return await withTaskGroup(of: Int32?.self) { group in
            group.addTask {
                await node.run()
                return nil
            }
            group.addTask {
                var code: Int32 = 1
                do {
                    code = try await working.value ? 0 : 1
                    if !exitAfter { announce(node, environment) }
                } catch {
                    if !signals.isRaised { StandardStream.error.write("\(FailureText.of(error))\n") }
                }
                let isCut = signals.isRaised
                if exitAfter { signals.raise() }
                return isCut && exitAfter ? EndSignals.exitCode : code
            }
            group.addTask {
                await signals.wait()
                working.cancel()
                await node.drain()
                return nil
            }
            var code: Int32 = 1
            for await ended in group { code = ended ?? code }
            return code
        }
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
        let report = try await LicenseRun.verify(node.store)
        StandardStream.output.write(LicenseRun.text(report))
        return report.isClean
    }

    /// Holds the books against the log and says what came of it.
    private static func isBooked(_ node: Node) async throws -> Bool {
        let report = try await BooksRun.verify(node.store, node.views)
        StandardStream.output.write(BooksRun.text(report))
        return report.isClean
    }

    private static func announce(_ node: Node, _ environment: DevEnvironment) {
        StandardStream.output.write(
            """

            API            \(node.address)/v1      OpenAPI \(node.address)/openapi.json
            console        \(node.address)/console      sign in with the key PAYSTREAM_KEY of \(DevFile.path)
            metrics        \(node.address)/metrics
            sandbox        \(environment.sandbox)/sandbox
            ledger         \(environment.sandbox)/sandbox/ledger
            variables      . ./\(DevFile.path)     (PAYSTREAM_URL, PAYSTREAM_KEY, …)

            Ctrl-C stops the daemon; 'paystream dev --stop' stops PostgreSQL and the sandbox, too.

            """
        )
    }
}
