import Daemon
import Glibc
import Kernel
import Testing

/// The daemon dies at every named point of the money path, in every flow, and three books agree afterwards: the
/// provider's ledger, the log's fold and the read models.
///
/// `make test` plays a sample: each point once. `make crash` sets `PAYSTREAM_CRASH_ALL` and plays every passage of every
/// point in every flow. `PAYSTREAM_CRASH_POINT` narrows either to one point by its name.
@Suite(.timeLimit(.minutes(240)), .serialized)
struct CrashDrillTests {
    private static let isComplete = getenv("PAYSTREAM_CRASH_ALL") != nil
    private static let points: [CrashPoint] =
        getenv("PAYSTREAM_CRASH_POINT").flatMap { CrashPoint(rawValue: String(cString: $0)) }.map { [$0] }
        ?? CrashPoint.allCases
    /// Further passages of a point are not looked for beyond this.
    private static let passages = 40

    @Test(arguments: isComplete ? CrashFlow.all : [CrashFlow.all[0], CrashFlow.all[5]])
    func `a flow ends right wherever its daemon dies`(flow: CrashFlow) async throws {
        try await Stage.run("crash\(flow.provider)\(flow.name)", settings: Self.settings) { stage, first in
            let points = Self.points.map { ($0, Self.isComplete ? Self.passages : 1) }
            try await drill(flow, points, stage, first)
        }
    }

    /// The sample plays the commits; a cluster of its own dies, so that no other suite does.
    @Test(arguments: isComplete ? CrashFlow.all : [CrashFlow.all[0]])
    func `a flow ends right wherever PostgreSQL dies`(flow: CrashFlow) async throws {
        let cluster = try EmbeddedCluster(checkout: ".", name: "crash-\(getpid())")
        try await OwnThread.run { () throws(ClusterFailure) in try cluster.start() }
        let outcome: Result<Void, any Error>
        do {
            let name = "postgres\(flow.provider)\(flow.name)"
            try await Stage.run(name, settings: Self.settings, server: cluster.url()) { stage, first in
                let sample: [CrashPoint] = [
                    .commitBefore, .commitAfter, .sendingMarked, .requestAnswered, .answerStored,
                ]
                let points = Self.isComplete ? Self.points : sample
                try await drill(flow, points.map { ($0, Self.isComplete ? 3 : 1) }, stage, first, killing: cluster)
            }
            outcome = .success(())
        } catch { outcome = .failure(error) }
        try await OwnThread.run { () throws(ClusterFailure) in try cluster.remove() }
        try outcome.get()
    }

    private static let settings: Json = ["absenceSeconds": 2]

    /// Plays the flow for each passage of each point, and compares the books when all are through.
    private func drill(
        _ flow: CrashFlow,
        _ points: [(point: CrashPoint, passages: Int)],
        _ stage: Stage,
        _ first: DaemonProcess,
        killing cluster: EmbeddedCluster? = nil
    ) async throws {
        try await stage.addPortmone(first)
        try await stage.end(first, SIGTERM)
        var played: [(point: CrashPoint, run: CrashRun)] = []
        for (point, passages) in points {
            for passage in 1...passages {
                let run = try await CrashRun.play(
                    flow,
                    at: point,
                    passage: passage,
                    stage,
                    onPortOf: first,
                    killing: cluster
                )
                played.append((point, run))
                if !run.hasCrashed { break }
            }
        }
        let last = try await stage.serve(onPortOf: first)
        for (_, run) in played { try await compare(run, stage, last) }
        let reached = Set(played.filter(\.run.hasCrashed).map(\.point))
        let victim = cluster == nil ? "the daemon" : "PostgreSQL"
        print("\(flow): \(victim) died \(played.count { $0.run.hasCrashed }) times at \(reached.count) points")
        #expect(reached.count >= min(10, points.count), "the flow passes the points of the money path")
        #expect(try await stage.command(["operations", "--operator", "--json"]).isEmpty)
        try await stage.verifyReplay()
        try await stage.verifyViews()
    }

    private func compare(_ run: CrashRun, _ stage: Stage, _ daemon: DaemonProcess) async throws {
        let payment = try await stage.wait(daemon, run.id, for: run.flow.ending)
        let reference = try #require(payment.at("attempt", "reference")?.text)
        let entries =
            run.flow.provider == "portmone"
            ? try await stage.portmoneLedger(daemon, run.id) : try await stage.ledger(reference)
        #expect(entries == run.flow.ledger, "\(run.name)")
    }
}
