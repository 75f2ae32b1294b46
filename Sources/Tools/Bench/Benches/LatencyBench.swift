import Benchmarks
import Kernel

/// What the daemon adds to the provider's own time: captures that their caller waits for, at half load.
struct LatencyBench {
    private let plan: BenchPlan
    /// Milliseconds that the sandbox takes for each outcome.
    private static let think = 100

    init(_ plan: BenchPlan) { self.plan = plan }

    func run() async throws {
        let clients = plan.clients ?? 128
        try await LifecycleStage.with(plan, clients: clients, think: Self.think) { stage in
            let load = try await HalfLoad.on(stage.lifecycles, clients: clients)
            var rounds: [Sample] = []
            for round in 0..<plan.rounds { rounds.append(try await load.run("round-\(round)", for: plan.time)) }
            report(rounds, load.rate)
        }
    }

    private func report(_ rounds: [Sample], _ rate: Double) {
        func added(_ share: Double) -> Double {
            let values = rounds.map { $0.latency(share) }.sorted()
            return values[values.count / 2] - Double(Self.think) * 1000
        }
        let (p50, p99) = (added(0.5), added(0.99))
        plan.report(
            Figure("latency", "a capture's outcome, beyond the \(Self.think) ms of the provider")
                .with("perSecond", rate).with("p50Microseconds", p50).with("p99Microseconds", p99)
                .target("p50 at most 5000, p99 at most 25000 at half load", isMet: p50 <= 5000 && p99 <= 25_000)
        )
    }
}
