import Benchmarks
import Kernel

/// Counts what a lifecycle and an accepted payment cost: statements, flushes, switches, rows, bytes of the log, allocations.
///
/// Counts are the same on every machine, apart from how inputs happen to meet in one commit.
struct CountsBench {
    private let plan: BenchPlan
    private static let lifecycles = 200
    private static let accepts = 500
    private static let figures = [
        "statements", "flushes", "switches", "rowsWritten", "walBytes", "allocations", "allocatedBytes",
        "sandboxAllocations", "generatorAllocations",
    ]

    init(_ plan: BenchPlan) { self.plan = plan }

    /// Measures and reports; answers whether every limit held.
    func run() async throws -> Bool {
        let counters = AllocationCounters(folder: BenchDatabase.folder)
        counters?.countOwn()
        let clients = plan.clients ?? 64
        let isHeld = Locked(true)
        try await LifecycleStage.with(plan, clients: clients, counters: counters) { stage in
            try await lifecycles(0..<clients, stage, clients)
            let lived = try await stage.counts {
                try await lifecycles(clients..<(clients + Self.lifecycles), stage, clients)
            }
            let accepted = try await stage.counts { try await accepts(stage.node, clients) }
            let held = [
                report("lifecycle", lived / Self.lifecycles, Budget.lifecycle),
                report("accept", accepted / Self.accepts, Budget.accept),
            ]
            isHeld.withLock { $0 = held.allSatisfy(\.self) }
        }
        return isHeld.withLock { $0 }
    }

    private func lifecycles(_ numbers: Range<Int>, _ stage: LifecycleStage, _ clients: Int) async throws {
        _ = try await ClosedLoad.run(clients: clients, pieces: numbers) { number in
            try await stage.lifecycles.live("counted-\(number)", number)
        }
    }

    private func accepts(_ node: BenchNode, _ clients: Int) async throws {
        _ = try await ClosedLoad.run(clients: clients, pieces: 0..<Self.accepts) { number in
            _ = try await node.create("accepted-\(number)", client: number)
        }
    }

    /// Writes one line; answers whether the limits held.
    private func report(_ what: String, _ each: StageCounts, _ budgets: [Budget]) -> Bool {
        var figure = Figure("counts", "each \(what)")
        for name in Self.figures {
            figure = each[name].map { figure.with(name, $0) } ?? figure.with(name, "not counted")
        }
        if let share = each.shareOfAllocations { figure = figure.with("shareThatMeasures", share) }
        let value = { (budget: Budget) in each[budget.name] ?? .infinity }
        let over = budgets.filter { value($0) > $0.limit }.map { "\($0.name) over \($0.limit)" }
        let targets = budgets.map { "\($0.name) \($0.target)" }.joined(separator: ", ")
        figure = figure.target(targets, isMet: budgets.allSatisfy { value($0) <= $0.target })
        plan.report(over.isEmpty ? figure : figure.with("over", over.joined(separator: ", ")))
        return over.isEmpty
    }
}
