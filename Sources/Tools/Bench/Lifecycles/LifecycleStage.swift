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

    /// What was used so far.
    func counts() async throws -> StageCounts {
        // A server process tells its counts a second after it changed them, at the latest.
        try await Task.sleep(for: .milliseconds(1200))
        return StageCounts(
            daemon: ProcessCounts(of: node.process.id, counters),
            sandbox: ProcessCounts(of: sandbox.process.id, counters),
            generator: ProcessCounts(of: getpid(), counters),
            server: try await database.counts(),
            statements: try await node.figure("paystream_database_statements_total")
        )
    }
}
