import Benchmarks
import Glibc
import Http
import HttpClient
import Kernel
import SystemKit

/// Counts what a lifecycle and an accepted payment cost: statements, flushes, switches, rows, bytes of the log, allocations.
///
/// Counts are the same on every machine, apart from how inputs happen to meet in one commit.
struct CountsBench {
    private let plan: BenchPlan
    private static let lifecycles = 200
    private static let accepts = 500

    init(_ plan: BenchPlan) { self.plan = plan }

    /// Everything that is counted, as it stands at one moment.
    private struct Reading {
        let daemon: ProcessCounts
        let sandbox: ProcessCounts
        let statements: Int64
        let server: ServerCounts
    }

    /// Measures and reports; answers whether every limit held.
    func run() async throws -> Bool {
        let clients = plan.clients ?? 64
        let isHeld = Locked(true)
        try await BenchDatabase.with(plan) { database in
            let counting = ProcessCounts.environment(countingIn: database.folder)
            let sandbox = try await LifecycleBench.startSandbox(database, environment: counting ?? [:])
            defer { kill(sandbox.process.id, SIGTERM) }
            try await BenchNode.with(
                database,
                clients: clients,
                gate: sandbox.address,
                environment: counting ?? [:]
            ) { node in
                let watch = ViewWatch(node)
                let watching = Task { await watch.run() }
                defer { watching.cancel() }
                let read = { try await reading(node, sandbox.process.id, database) }
                try await lifecycles(0..<clients, node, watch, clients)
                let begun = try await read()
                try await lifecycles(clients..<(clients + Self.lifecycles), node, watch, clients)
                let lived = try await read()
                try await accepts(node, clients)
                let accepted = try await read()
                let held = [
                    report(
                        "lifecycle",
                        Self.lifecycles,
                        from: begun,
                        to: lived,
                        Budget.lifecycle,
                        Budget.lifecycleMemory
                    ),
                    report("accept", Self.accepts, from: lived, to: accepted, [], Budget.acceptMemory),
                ]
                isHeld.withLock { $0 = held.allSatisfy(\.self) }
            }
        }
        return isHeld.withLock { $0 }
    }

    private func lifecycles(_ numbers: Range<Int>, _ node: BenchNode, _ watch: ViewWatch, _ clients: Int) async throws {
        _ = try await ClosedLoad.run(clients: clients, pieces: numbers) { number in
            try await LifecycleBench.lifecycle(node, watch, "counted-\(number)", number)
        }
    }

    private func accepts(_ node: BenchNode, _ clients: Int) async throws {
        _ = try await ClosedLoad.run(clients: clients, pieces: 0..<Self.accepts) { number in
            _ = try await node.create("accepted-\(number)", client: number)
        }
    }

    private func reading(_ node: BenchNode, _ sandbox: pid_t, _ database: BenchDatabase) async throws -> Reading {
        // A server process tells its counts a second after it changed them, at the latest.
        try await Task.sleep(for: .milliseconds(1200))
        let server = try await database.counts()
        return Reading(
            daemon: ProcessCounts(of: node.process.id, allocationsIn: database.folder),
            sandbox: ProcessCounts(of: sandbox, allocationsIn: database.folder),
            statements: try await node.figure("paystream_database_statements_total"),
            server: server
        )
    }

    /// Writes one line; answers whether the limits held.
    private func report(
        _ what: String,
        _ count: Int,
        from begun: Reading,
        to ended: Reading,
        _ budgets: [Budget],
        _ memory: [Budget]
    ) -> Bool {
        func each(_ pick: (Reading) -> Int64?) -> Double? {
            guard let begun = pick(begun), let ended = pick(ended) else { return nil }
            return Double(ended - begun) / Double(count)
        }
        let figures: [(String, Double?)] = [
            ("statements", each(\.statements)), ("flushes", each(\.server.flushes)),
            ("switches", each(\.daemon.switches)), ("rowsWritten", each(\.server.rowsWritten)),
            ("walBytes", each(\.server.walBytes)), ("allocations", each(\.daemon.allocations)),
            ("allocatedBytes", each(\.daemon.allocatedBytes)), ("sandboxAllocations", each(\.sandbox.allocations)),
        ]
        var figure = Figure("counts", "each \(what)")
        for (name, value) in figures {
            figure = value.map { figure.with(name, $0) } ?? figure.with(name, "not counted")
        }
        let held = budgets + (BenchPlan.isDebugBuild ? [] : memory)
        let value = { (budget: Budget) in figures.first { $0.0 == budget.name }?.1 ?? .infinity }
        let over = held.filter { value($0) > $0.limit }.map { "\($0.name) over \($0.limit)" }
        let targets = held.map { "\($0.name) \($0.target)" }.joined(separator: ", ")
        figure = figure.target(targets, isMet: held.allSatisfy { value($0) <= $0.target })
        plan.report(over.isEmpty ? figure : figure.with("over", over.joined(separator: ", ")))
        return over.isEmpty
    }
}

/// What the server wrote so far.
struct ServerCounts: Sendable {
    let flushes: Int64
    /// Inserted, updated and deleted.
    let rowsWritten: Int64
    let walBytes: Int64
}
