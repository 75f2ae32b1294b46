import Daemon
import Glibc
import Kernel
import Testing

/// The daemon dies at every named point of the money path, in every flow, and three books agree afterwards: the
/// provider's ledger, the log's fold and the read models.
///
/// `make test` plays a sample: each flow dies at every eighth point, each point in every eighth flow. `make crash` sets
/// `PAYSTREAM_CRASH_ALL` and plays every passage of every point in every flow. `PAYSTREAM_CRASH_POINT` and
/// `PAYSTREAM_CRASH_FLOW` narrow either to one point, or to flows, by the name.
@Suite(.timeLimit(.minutes(600)), .serialized)
struct CrashDrillTests {
    private static let isComplete = getenv("PAYSTREAM_CRASH_ALL") != nil
    private static let onlyPoint = getenv("PAYSTREAM_CRASH_POINT").flatMap { CrashPoint(rawValue: String(cString: $0)) }
    private static let flows: [CrashFlow] = {
        guard let name = getenv("PAYSTREAM_CRASH_FLOW").map({ String(cString: $0) }) else { return CrashFlow.all }
        return CrashFlow.all.filter { $0.description.hasPrefix(name) }
    }()
    /// Further passages of a point are not looked for beyond this.
    private static let passages = 40
    /// One of so many points is in the sample of a flow.
    private static let sampling = 8
    /// What only a daemon passes that finds the remains of another, after that one's death here.
    private static let remains: [CrashPoint: CrashPoint] = [
        .claimsReclaimed: .effectsClaimed, .sendersLost: .sendingMarked, .commandLooked: .commitAfter,
    ]
    /// What only a daemon passes that is told to end, there.
    private static let farewells: [CrashPoint: CrashPoint] = [.mailReleased: .mailRead]

    @Test(arguments: flows)
    func `a flow ends right wherever its daemon dies`(flow: CrashFlow) async throws {
        try await Stage.run(Self.name("crash", flow), settings: Self.settings) { stage, first in
            let points = Self.points(of: flow).map { ($0, Self.isComplete ? Self.passages : 1) }
            try await drill(flow, points, stage, first)
        }
    }

    /// The sample plays the commits of one flow; a cluster of its own dies, so that no other suite does.
    @Test(arguments: isComplete ? flows : [CrashFlow.all[0]])
    func `a flow ends right wherever PostgreSQL dies`(flow: CrashFlow) async throws {
        try await EmbeddedCluster.own("crash-\(getpid())") { cluster in
            let name = Self.name("postgres", flow)
            try await Stage.run(name, settings: Self.settings, server: cluster.url()) { stage, first in
                let sample: [CrashPoint] = [
                    .commitBefore, .commitAfter, .sendingMarked, .requestAnswered, .answerStored,
                ]
                let points = Self.isComplete ? Self.points(of: flow) : sample
                try await drill(flow, points.map { ($0, Self.isComplete ? 3 : 1) }, stage, first, killing: cluster)
            }
        }
    }

    private static let settings: Json = ["absenceSeconds": 2]

    private static func name(_ victim: String, _ flow: CrashFlow) -> String { victim + flow.shop.rawValue + flow.name }

    /// All points, or in the sample those whose number and the flow's meet.
    private static func points(of flow: CrashFlow) -> [CrashPoint] {
        if let onlyPoint { return [onlyPoint] }
        guard !isComplete, let number = CrashFlow.all.firstIndex(where: { $0.description == flow.description }) else {
            return CrashPoint.allCases
        }
        return CrashPoint.allCases.enumerated().filter { ($0.offset + number) % sampling == 0 }.map(\.element)
    }

    /// Plays the flow for each passage of each point, and compares the books when all are through.
    private func drill(
        _ flow: CrashFlow,
        _ points: [(point: CrashPoint, passages: Int)],
        _ stage: Stage,
        _ first: DaemonProcess,
        killing cluster: EmbeddedCluster? = nil
    ) async throws {
        let ground = try await flow.shop.equip(stage, first)
        try await stage.end(first, SIGTERM)
        var played: [CrashRun] = []
        for (point, passages) in points {
            for passage in 1...passages {
                var deaths = [CrashRun.Death(point: point, passage: passage, farewell: Self.farewells[point])]
                if let earlier = Self.remains[point], cluster == nil {
                    deaths = [
                        CrashRun.Death(point: earlier, passage: passage), CrashRun.Death(point: point, passage: 1),
                    ]
                }
                let run = try await CrashRun.play(flow, deaths, stage, ground, onPortOf: first, killing: cluster)
                played.append(run)
                if !run.hasCrashed { break }
            }
        }
        let last = try await stage.serve(onPortOf: first)
        let books = CrashBooks(stage: stage, daemon: last)
        for run in played { try await books.compare(run) }
        let crashed = played.filter(\.hasCrashed)
        let reached = Set(crashed.compactMap(\.deaths.last?.point))
        let victim = cluster == nil ? "the daemon" : "PostgreSQL"
        let names = CrashPoint.allCases.filter { reached.contains($0) }.map(\.rawValue).joined(separator: " ")
        print("\(flow): \(victim) died \(crashed.count) times at \(reached.count) points: \(names)")
        #expect(reached.count >= min(Self.isComplete ? 10 : 1, points.count), "the flow passes the money path's points")
        if flow.shop != .bills {
            #expect(try await stage.command(["operations", "--operator", "--json"]).isEmpty)
        }
        try await stage.verifyReplay()
        try await stage.verifyViews()
    }
}
