import Benchmarks
import Glibc
import Kernel
import SystemKit

/// Lifecycles on two daemons of one database beside one daemon alone, at a provider that takes its time and at a fast one.
struct NodesBench {
    private let plan: BenchPlan
    private static let lifecycles = 600
    /// Milliseconds that the sandbox takes for each outcome, with the ratio that two daemons must reach.
    private static let kinds = [(think: 200, target: 1.7), (think: 0, target: 0.95)]

    init(_ plan: BenchPlan) { self.plan = plan }

    func run() async throws {
        for (think, target) in Self.kinds { try await measure(think, target) }
    }

    private func measure(_ think: Int, _ target: Double) async throws {
        let clients = plan.clients ?? 128
        try await BenchDatabase.with(plan) { database in
            let sandbox = try await LifecycleBench.startSandbox(database, think: think)
            defer { kill(sandbox.process.id, SIGTERM) }
            try await BenchNode.with(database, clients: clients, gate: sandbox.address) { node in
                let watch = ViewWatch(node)
                let watching = Task { await watch.run() }
                defer { watching.cancel() }
                let round = Locked(0)
                let contest = try await Contest.run(
                    rounds: plan.rounds,
                    [
                        ("one", { try await Self.live([node], watch, clients, round) }),
                        (
                            "two",
                            {
                                try await node.besideAnother(database) { other in
                                    try await Self.live([node, other], watch, clients, round)
                                }
                            }
                        ),
                    ]
                )
                report(contest, think, target, clients)
            }
        }
    }

    private static func live(_ nodes: [BenchNode], _ watch: ViewWatch, _ clients: Int, _ rounds: Locked<Int>)
        async throws -> Sample
    {
        let round = rounds.withLock { round in
            round += 1
            return round
        }
        return try await ClosedLoad.run(clients: clients, pieces: 0..<lifecycles) { number in
            try await LifecycleBench.lifecycle(nodes[number % nodes.count], watch, "life-\(round)-\(number)", number)
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
