import Benchmarks
import Cluster
import Glibc
import Kernel
import Postgres
import Store
import SystemKit

/// Appends straight into the store, beside a bare insert, a plain floor append and a serial stand-in.
struct AppendBench {
    private let plan: BenchPlan

    init(_ plan: BenchPlan) { self.plan = plan }

    func run() async throws {
        try await BenchDatabase.with(plan) { database in
            let clients = plan.clients ?? 8
            let pool = PostgresPool(PostgresOptions(address: database.address), limit: clients)
            let bench = StoreBench(PostgresStore(pool), run: UInt64(WallClock.now().microseconds))
            let seconds = plan.seconds
            let contenders: [Contest.Contender] = [
                ("bare", { try await database.raw(RawDatabase.bareInsert, clients: clients, seconds: seconds) }),
                ("floor", { try await database.raw(RawDatabase.floorAppend, clients: clients, seconds: seconds) }),
                ("serial", { try await database.raw(RawDatabase.serialAppend, clients: clients, seconds: seconds) }),
                ("single", { try await bench.single(clients: clients, for: .seconds(seconds)) }),
                ("batched", { try await bench.batched(lanes: min(3, clients), for: .seconds(seconds)) }),
                ("payments", { try await bench.payments(lanes: min(3, clients), for: .seconds(seconds)) }),
            ]
            let ways = Self.ways.map { $0.contender(database, clients: clients, seconds: seconds) }
            let contest = try await Contest.run(rounds: plan.rounds, contenders + ways)
            await pool.drain()
            report(contest, clients)
            reportWays(contest, clients)
        }
    }

    /// How the load generator writes what a commit writes.
    private struct Way {
        let streams: Int
        let prepared: Bool
        let pipelined: Bool

        var name: String { "\(pipelined ? "pipeline" : "call") \(streams)\(prepared ? "" : " unprepared")" }

        func contender(_ database: BenchDatabase, clients: Int, seconds: Int) -> Contest.Contender {
            let commit = pipelined ? RawCommit.pipeline(streams: streams) : .call(streams: streams)
            let run: @Sendable () async throws -> Sample = {
                try await database.raw(
                    commit.script,
                    variables: commit.variables,
                    preparing: prepared,
                    clients: clients,
                    seconds: seconds
                )
            }
            return (name, run)
        }
    }

    private static let ways = [1, 16].flatMap { streams in
        [true, false].flatMap { prepared in
            [false, true].map { Way(streams: streams, prepared: prepared, pipelined: $0) }
        }
    }

    /// The function, and the same rows as plain statements in a pipeline, both from the load generator.
    private func reportWays(_ contest: Contest, _ clients: Int) {
        for way in Self.ways {
            let rate = contest.rate(way.name) * Double(way.streams)
            plan.report(
                Figure("append", "\(way.name), by pgbench").with("perSecond", rate).with("clients", clients)
                    .with("toFloor", rate / contest.rate("floor"))
            )
        }
    }

    private func report(_ contest: Contest, _ clients: Int) {
        let (bare, floor, serial) = (contest.rate("bare"), contest.rate("floor"), contest.rate("serial"))
        let single = contest.rate("single")
        let batched = contest.rate("batched")
        let payments = contest.rate("payments")
        func figure(_ name: String, _ rate: Double) -> Figure {
            Figure("append", name).with("perSecond", rate).with("clients", clients).with("bareInsert", bare)
                .with("floorAppend", floor).with("serialStandIn", serial).with("toBare", rate / bare)
                .with("toSerial", rate / serial)
        }
        plan.report(
            figure("one event, one stream per call", single).with("toFloor", single / floor)
                .with("p99Microseconds", contest.latency("single", 0.99))
                .target("0.5 of floorAppend", isMet: single >= 0.5 * floor)
        )
        plan.report(
            figure("events in batches of 16 streams with 16", batched)
                .target("50000 a second and 10 of serialStandIn", isMet: batched >= 50_000 && batched >= 10 * serial)
        )
        plan.report(
            figure("what a payment writes, in batches of 64", payments)
                .target("as many as bareInsert", isMet: payments >= bare)
        )
    }
}

/// JSON of one event, beside one SHA-256 over the same bytes here and in `openssl speed`.
struct JsonBench {
    private let plan: BenchPlan
    private static let targetMicroseconds = 6.0

    init(_ plan: BenchPlan) { self.plan = plan }

    func run() async throws {
        let contest = try await Contest.run(
            rounds: plan.rounds,
            [("json", { try MemoryBench.json() }), ("sha256", { MemoryBench.sha256() })]
        )
        let json = 1e6 / contest.rate("json")
        let hash = 1e6 / contest.rate("sha256")
        var figure = Figure("json", "parse and canonical write of \(SampleLog.eventBytes) bytes")
            .with("microseconds", json).with("sha256Microseconds", hash)
        if let raw = try await OpenSslSpeed.sha256Microseconds() {
            figure = figure.with("opensslSpeedMicroseconds", raw)
        }
        plan.report(figure.target("6 microseconds", isMet: json <= Self.targetMicroseconds))
    }
}

/// OpenSSL's own measurement of a hash.
enum OpenSslSpeed {
    /// Microseconds for one SHA-256 over an event; `nil` where the program is missing.
    static func sha256Microseconds() async throws -> Double? {
        let log = "/tmp/paystream-openssl-\(getpid()).log"
        defer { unlink(log) }
        let ending = try? await OwnThread.run { () throws(ClusterFailure) in
            try ClusterFailure.starting(
                "openssl",
                ["speed", "-mr", "-seconds", "1", "-bytes", "\(SampleLog.eventBytes)", "-evp", "sha256"],
                environment: ChildProcess.environment,
                outputFile: log
            ).wait()
        }
        guard ending == .exited(0), let text = FileTree.text(log) else { return nil }
        // Machine-readable: `+F:22:sha256:bytes per second`.
        let result = text.split(separator: "\n").last { $0.hasPrefix("+F:") }
        guard let rate = result?.split(separator: ":").last.flatMap({ Double($0) }), rate > 0 else { return nil }
        return Double(SampleLog.eventBytes) / rate * 1e6
    }
}
