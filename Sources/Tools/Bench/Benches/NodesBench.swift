import Benchmarks
import Kernel

/// Lifecycles on two daemons of one database beside one daemon alone, at a provider that takes its time and at a fast one.
struct NodesBench {
    private let plan: BenchPlan
    private static let paymentsPerRound = 600
    /// Milliseconds that the sandbox takes for each outcome, with the ratio that two daemons must reach.
    private static let kinds = [(think: 200, target: 1.7), (think: 0, target: 0.95)]

    init(_ plan: BenchPlan) { self.plan = plan }

    func run() async throws {
        for (think, target) in Self.kinds { try await measure(think, target) }
    }

    private func measure(_ think: Int, _ target: Double) async throws {
        let clients = plan.clients ?? 128
        try await LifecycleStage.with(plan, clients: clients, think: think) { stage in
            let (node, round) = (stage.node, Locked(0))
            let contest = try await Contest.run(
                rounds: plan.rounds,
                [
                    ("one", { try await Self.live(stage.lifecycles, [node], clients, round) }),
                    (
                        "two",
                        {
                            try await node.besideAnother(stage.database) { other in
                                try await Self.live(stage.lifecycles, [node, other], clients, round)
                            }
                        }
                    ),
                ]
            )
            report(contest, think, target, clients)
        }
    }

    private static func live(
        _ lifecycles: Lifecycles,
        _ nodes: [BenchNode],
        _ clients: Int,
        _ rounds: Locked<Int>
    ) async throws -> Sample {
        let round = rounds.withLock { round in
            round += 1
            return round
        }
        return try await ClosedLoad.run(clients: clients, pieces: 0..<paymentsPerRound) { number in
            try await lifecycles.live("life-\(round)-\(number)", number, on: nodes[number % nodes.count])
        }
    }

    private func report(_ contest: Contest, _ think: Int, _ target: Double, _ clients: Int) {
        let (one, two) = (contest.rate("one"), contest.rate("two"))
        plan.report(
            Figure("nodes", "lifecycles on two daemons, the provider takes \(think) ms").with("perSecond", two)
                .with("oneDaemon", one).with("clients", clients).with("ratio", two / one)
                .target("\(target) of one daemon", isMet: two >= target * one)
        )
    }
}
