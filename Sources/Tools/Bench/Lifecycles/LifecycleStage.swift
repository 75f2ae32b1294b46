import Glibc
import Kernel
import SystemKit

/// What lifecycles need, each in a process of its own: database, sandbox and daemon; the generator is this process.
struct LifecycleStage: Sendable {
    let database: BenchDatabase
    let sandbox: SandboxProcess
    let lifecycles: Lifecycles
    private let counters: AllocationCounters?

    var node: BenchNode { lifecycles.node }

    /// Sets everything up, each outcome at the provider taking `think` milliseconds, and takes it down behind `body`.
    static func with(
        _ plan: BenchPlan,
        clients: Int,
        think: Int = 0,
        counters: AllocationCounters? = nil,
        _ body: @Sendable (LifecycleStage) async throws -> Void
    ) async throws {
        let environment = counters?.environment ?? [:]
        try await BenchDatabase.with(plan) { database in
            try await SandboxProcess.with(database, think: think, environment: environment) { sandbox in
                try await BenchNode.with(
                    database,
                    clients: clients,
                    gate: sandbox.address,
                    environment: environment
                ) { node in
                    try await Lifecycles.with(node) { lifecycles in
                        try await body(
                            LifecycleStage(
                                database: database,
                                sandbox: sandbox,
                                lifecycles: lifecycles,
                                counters: counters
                            )
                        )
                    }
                }
            }
        }
    }

    /// What was used so far; of what the server wrote, what its processes have told of it.
    func counts() async throws -> StageCounts {
        try await Task.sleep(for: .milliseconds(1200))
        return try await processes() + StageCounts(server: try await database.counts())
    }

    /// What `body` uses, with all that the server wrote for it.
    ///
    /// A process of the server that has work tells its counts each second, and one that has none ten seconds after the last
    /// (`PGSTAT_IDLE_INTERVAL`): on both sides that is waited for, and what the others do meanwhile is not counted.
    func counts(of body: () async throws -> Void) async throws -> StageCounts {
        let idle = Duration.milliseconds(10_500)
        try await Task.sleep(for: idle)
        let written = StageCounts(server: try await database.counts())
        let before = try await processes()
        try await body()
        try await Task.sleep(for: .milliseconds(1200))
        let used = try await processes() - before
        try await Task.sleep(for: idle)
        return used + (StageCounts(server: try await database.counts()) - written)
    }

    private func processes() async throws -> StageCounts {
        StageCounts(
            daemon: ProcessCounts(of: node.process.id, counters),
            sandbox: ProcessCounts(of: sandbox.process.id, counters),
            generator: ProcessCounts(of: getpid(), counters),
            statements: try await node.figure("paystream_database_statements_total")
        )
    }
}
