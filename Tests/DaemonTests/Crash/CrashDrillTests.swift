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
        try await Stage.run("crash\(flow.provider)\(flow.name)", settings: ["absenceSeconds": 2]) { stage, first in
            try await stage.addPortmone(first)
            try await stage.end(first, SIGTERM)
            var played: [CrashRun] = []
            for point in Self.points {
                for passage in 1...(Self.isComplete ? Self.passages : 1) {
                    let run = try await CrashRun.play(flow, at: point, passage: passage, stage, onPortOf: first)
                    played.append(run)
                    if !run.hasCrashed { break }
                }
            }
            let last = try await stage.serve(onPortOf: first)
            for run in played { try await compare(run, stage, last) }
            let reached = Set(played.filter(\.hasCrashed).map { $0.name.split(separator: "-")[2] })
            print("\(flow): \(played.count { $0.hasCrashed }) crashes at \(reached.count) points")
            #expect(reached.count >= min(10, Self.points.count), "the flow passes the points of the money path")
            #expect(try await stage.command(["operations", "--operator", "--json"]).isEmpty)
            try await stage.verifyReplay()
            try await stage.verifyViews()
        }
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
