import Cluster
import Drill
import Glibc
import Kernel
import Testing

/// The daemon dies at every named point of the money path, in every flow, and three books agree afterwards: the
/// provider's ledger, the log's fold and the read models with the ledger that is made of them.
///
/// `make test` plays a sample: each flow dies at every thirteenth point, each point in every thirteenth flow. `make crash` sets
/// `PAYSTREAM_CRASH_ALL` and plays every passage of every point in every flow, in lanes: processes
/// that share `PAYSTREAM_CRASH_SEEN` play a flow once among them, and note there what it passed. `PAYSTREAM_CRASH_POINT` and
/// `PAYSTREAM_CRASH_FLOW` narrow either to one point, or to flows, by the name.
@Suite(.timeLimit(.minutes(600)), .serialized)
struct CrashDrillTests {
    private static let isComplete = getenv("PAYSTREAM_CRASH_ALL") != nil
    private static let onlyPoint = getenv("PAYSTREAM_CRASH_POINT").flatMap { CrashPoint(rawValue: String(cString: $0)) }
    private static let flows: [CrashFlow] = {
        let name = getenv("PAYSTREAM_CRASH_FLOW").map { String(cString: $0) } ?? ""
        return CrashFlow.all.filter { $0.description.hasPrefix(name) }
    }()
    /// Further passages of a point are not looked for beyond this.
    private static let passages = 80
    /// One of so many points is in the sample of a flow.
    private static let sampling = 13
    /// What only a daemon passes that finds the remains of another, after that one's death here.
    private static let remains: [CrashPoint: CrashPoint] = [
        .claimsReclaimed: .effectsClaimed, .sendersLost: .sendingMarked, .commandLooked: .commitAfter,
        .answerBefore: .requestAnswered, .answerStored: .sendingMarked,
    ]
    /// What only a daemon passes that is told to end, there.
    private static let farewells: [CrashPoint: CrashPoint] = [.mailReleased: .mailRead]

    /// On the way of a payment that the provider's page decides: its command, and a notification that is decided at once.
    private static let pagePoints: Set<CrashPoint> = [.commitBefore, .commitAfter, .streamsLoaded, .originalKept]

    /// Points on no flow's way: two nodes, and an input that can't be decided, have tests of their own.
    private static let elsewhere: Set<CrashPoint> = [.effectsGivenBack, .mailQuarantined]
    /// So many points a sample passes at least.
    private static let sampledPoints = 12
    private static let seen = CrashRecord(file: getenv("PAYSTREAM_CRASH_SEEN").map { String(cString: $0) })

    @Test(arguments: flows)
    func `a flow ends right wherever its daemon dies`(flow: CrashFlow) async throws {
        guard Self.seen.take("daemon \(flow)") else { return }
        try await Stage.run(Self.name("crash", flow), settings: Self.settings) { stage, first in
            let points = Self.points(of: flow).map { ($0, Self.isComplete ? Self.passages : 1) }
            try await drill(flow, points, stage, first)
        }
    }

    @Test func `the flows together pass every point`() throws {
        let seen = try Self.seen.all()
        guard seen.flows.count == CrashFlow.all.count, Self.onlyPoint == nil else { return }
        let missed = Set(CrashPoint.allCases).subtracting(seen.points)
        if Self.isComplete {
            #expect(missed == Self.elsewhere)
        } else {
            #expect(seen.points.count >= Self.sampledPoints)
        }
    }

    /// The sample plays the commits of one flow; a cluster of its own dies, so that no other suite does.
    @Test(arguments: isComplete ? flows : [CrashFlow.all[0]])
    func `a flow ends right wherever PostgreSQL dies`(flow: CrashFlow) async throws {
        guard Self.seen.take("PostgreSQL \(flow)") else { return }
        try await EmbeddedCluster.own("crash-\(getpid())") { cluster in
            let name = Self.name("postgres", flow)
            try await Stage.run(name, settings: Self.settings, server: cluster.url()) { stage, first in
                let sample: [CrashPoint] = [.commitBefore, .sendingMarked, .requestAnswered]
                let points = Self.isComplete ? Self.points(of: flow) : sample
                try await drill(
                    flow,
                    points.map { ($0, CrashRun.goingOn.contains($0) ? 2 : 1) },
                    stage,
                    first,
                    killing: cluster
                )
            }
        }
    }

    private static let settings: Json = [
        "absenceSeconds": 2, "gateTokenPaths": ["sale": "/v2/payment/card/sale/token"],
    ]

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
                #expect(passage < Self.passages, "\(flow) passes \(point.rawValue) more often than is looked for")
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
        if cluster == nil { try Self.seen.add(flow, reached) }
        if Self.isComplete, Self.onlyPoint == nil {
            let isOnMoneyPath = flow.isPageAlone ? reached.isSuperset(of: Self.pagePoints) : reached.count >= 10
            #expect(isOnMoneyPath, "\(flow) is on the money path: \(names)")
        }
        // A bill of a message that was under way may be charged, and unknown here.
        if flow.shop != .bills || !played.contains(where: \.wasSending) { try await books.compare(flow.shop) }
        if flow.shop != .bills {
            #expect(try await stage.command(["operations", "--operator", "--json"]).isEmpty)
        }
        try await stage.verifyReplay()
        try await stage.verifyViews()
    }
}
