import Benchmarks
import Glibc
import Http
import HttpClient
import Kernel
import Payments
import SystemKit

/// Whole lifecycles against the sandbox: create, 3-D Secure, authorised, captured, projected, all on one machine.
struct LifecycleBench {
    private let plan: BenchPlan
    private static let paymentsPerRound = 200
    /// The sandbox runs a 3-D Secure challenge by itself for this amount.
    private static let challengedCents: Int64 = 7711

    init(_ plan: BenchPlan) { self.plan = plan }

    private struct Used: Sendable {
        var daemon = 0.0
        var server = 0.0
        var sandbox = 0.0
        var flushes: Int64 = 0
        var payments = 0
    }

    func run() async throws {
        let clients = plan.clients ?? 32
        try await BenchDatabase.with(plan) { database in
            let sandbox = try await Self.startSandbox(database)
            defer { kill(sandbox.process.id, SIGTERM) }
            try await BenchNode.with(database, clients: clients, gate: sandbox.address) { node in
                let used = Locked(Used())
                let round = Locked(0)
                let watch = ViewWatch(node)
                let watching = Task { await watch.run() }
                defer { watching.cancel() }
                let contest = try await Contest.run(
                    rounds: plan.rounds,
                    [
                        (
                            "bare",
                            { try await database.raw(RawDatabase.bareInsert, clients: clients, seconds: plan.seconds) }
                        ),
                        (
                            "lifecycle",
                            { try await lifecycles(node, watch, database, sandbox.process.id, clients, round, used) }
                        ),
                    ]
                )
                report(contest, clients, used.withLock { $0 })
            }
        }
    }

    static func startSandbox(
        _ database: BenchDatabase,
        think: Int = 0,
        environment more: [String: String] = [:]
    ) async throws
        -> (process: ChildProcess, address: String)
    {
        let announce = database.folder + "/sandbox.url"
        let process = try ChildProcess.start(
            "/proc/self/exe",
            ["sandbox", "--think", "\(think)", "--announce", announce],
            environment: ChildProcess.environment.merging(more) { $1 },
            outputFile: database.folder + "/sandbox.log"
        )
        for _ in 0..<400 {
            if let line = FileTree.text(announce)?.split(separator: "\n").first { return (process, String(line)) }
            try await Task.sleep(for: .milliseconds(25))
        }
        kill(process.id, SIGKILL)
        throw CommandFailure("the sandbox did not start")
    }

    private func lifecycles(
        _ node: BenchNode,
        _ watch: ViewWatch,
        _ database: BenchDatabase,
        _ sandbox: pid_t,
        _ clients: Int,
        _ rounds: Locked<Int>,
        _ used: Locked<Used>
    ) async throws -> Sample {
        let round = rounds.withLock { round in
            round += 1
            return round
        }
        let before = try await reading(node, database, sandbox)
        let sample = try await ClosedLoad.run(clients: clients, pieces: 0..<Self.paymentsPerRound) { number in
            try await Self.lifecycle(node, watch, "life-\(round)-\(number)", number)
        }
        let after = try await reading(node, database, sandbox)
        used.withLock { used in
            used.daemon += after.daemon - before.daemon
            used.server += after.server - before.server
            used.sandbox += after.sandbox - before.sandbox
            used.flushes += after.flushes - before.flushes
            used.payments += sample.count
        }
        return sample
    }

    private func reading(_ node: BenchNode, _ database: BenchDatabase, _ sandbox: pid_t) async throws -> Used {
        Used(
            daemon: ProcessorTime.of(node.process.id),
            server: database.server.map(ProcessorTime.ofFamily) ?? 0,
            sandbox: ProcessorTime.of(sandbox),
            flushes: try await database.flushes(),
            payments: 0
        )
    }

    /// One payment from its creation to its capture in the read model.
    static func lifecycle(_ node: BenchNode, _ watch: ViewWatch, _ key: String, _ client: Int) async throws {
        let id = try await authorize(node, watch, key, client)
        try await node.expect(200, .post, "/v1/payments/\(id)/capture", [:], client: client, key: key + "-capture")
        try await watch.wait(for: id, to: .captured)
    }

    /// One payment from its creation to its hold in the read model.
    static func authorize(_ node: BenchNode, _ watch: ViewWatch, _ key: String, _ client: Int) async throws -> PaymentId
    {
        let id = try await node.create(key, client: client, mode: "authorize", cents: challengedCents)
        let action = try await node.expect(200, .get, "/v1/payments/\(id)/next-action", nil, client: client)
        guard let url = action["url"]?.text else { throw CommandFailure("\(id): \(action.canonicalText)") }
        let page = OutgoingRequest(method: .get, url: url, deadline: .seconds(30))
        let answer = try await BenchNode.answer(node.client.send(page), to: "page")
        guard [200, 303].contains(answer.status) else { throw CommandFailure("page: \(answer.status)") }
        try await watch.wait(for: id, to: .authorized)
        return id
    }

    private func report(_ contest: Contest, _ clients: Int, _ used: Used) {
        let (rate, bare) = (contest.rate("lifecycle"), contest.rate("bare"))
        let payments = Double(max(used.payments, 1))
        let (daemon, server) = (used.daemon * 1000 / payments, used.server * 1000 / payments)
        let flushes = Double(used.flushes) / payments
        plan.report(
            Figure("lifecycle", "created, 3-D Secure, authorised, captured, projected").with("perSecond", rate)
                .with("clients", clients).with("bareInsert", bare)
                .with("p50Microseconds", contest.latency("lifecycle", 0.5))
                .with("p99Microseconds", contest.latency("lifecycle", 0.99))
                .with("daemonMillisecondsEach", daemon).with("postgresMillisecondsEach", server)
                .with("sandboxMillisecondsEach", used.sandbox * 1000 / payments).with("flushesEach", flushes)
                .target(
                    "500 a second, 0.8 ms daemon, 0.9 ms PostgreSQL, 4 flushes each",
                    isMet: rate >= 500 && daemon <= 0.8 && server <= 0.9 && flushes <= 4
                )
        )
    }
}

/// Follows the read model for every client at once, so that waiting asks nothing of the daemon.
final class ViewWatch: Sendable {
    private let node: BenchNode
    private let statuses = Locked<[PaymentId: String]>([:])
    private static let patience = Duration.seconds(30)
    private static let pause = Duration.milliseconds(5)

    init(_ node: BenchNode) { self.node = node }

    /// Reads what moved, until the task is cancelled.
    func run() async {
        var position: Int64 = 0
        while !Task.isCancelled {
            guard let rows = try? await node.viewRows(after: position) else { return }
            statuses.withLock { statuses in
                for row in rows { statuses[row.id] = row.status }
            }
            position = rows.map(\.position).max() ?? position
            try? await Task.sleep(for: Self.pause)
        }
    }

    func wait(for id: PaymentId, to status: PaymentStatus) async throws {
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            if statuses.withLock({ $0[id] }) == status.rawValue { return }
            try await Task.sleep(for: Self.pause)
        }
        throw CommandFailure("\(id) is \(statuses.withLock { $0[id] } ?? "unknown"), not \(status.rawValue)")
    }
}
