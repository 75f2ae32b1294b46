import Benchmarks
import Glibc
import Kernel
import SystemKit

/// `POST /v1/payments` over kept-alive connections, acknowledged after the commit, beside a bare insert.
struct AcceptBench {
    private let plan: BenchPlan
    /// Whether a load generator of others creates payments as well.
    private let besideWrk: Bool

    init(_ plan: BenchPlan, besideWrk: Bool) {
        self.plan = plan
        self.besideWrk = besideWrk
    }

    private struct Used: Sendable {
        var daemon = 0.0
        var load = 0.0
        var payments = 0
    }

    func run() async throws {
        if besideWrk { try WrkLoad.demandProgram() }
        let clients = plan.clients ?? 64
        try await BenchDatabase.with(plan) { database in
            try await BenchNode.with(database, clients: clients, gate: "http://127.0.0.1:9") { node in
                let used = Locked(Used())
                let round = Locked(0)
                var contenders: [Contest.Contender] = [
                    (
                        "bare",
                        { try await database.raw(RawDatabase.bareInsert, clients: clients, seconds: plan.seconds) }
                    ),
                    ("accept", { try await accept(node, clients, round, used) }),
                ]
                if besideWrk {
                    let wrk = WrkLoad(node, folder: database.folder, clients: clients, seconds: plan.seconds)
                    contenders.append((name: "wrk", run: { try await wrk.run() }))
                }
                let contest = try await Contest.run(rounds: plan.rounds, contenders)
                report(contest, clients, used.withLock { $0 })
                if besideWrk { reportWrk(contest, clients) }
            }
        }
    }

    private func accept(_ node: BenchNode, _ clients: Int, _ rounds: Locked<Int>, _ used: Locked<Used>) async throws
        -> Sample
    {
        let round = rounds.withLock { round in
            round += 1
            return round
        }
        let (daemon, load) = (ProcessorTime.of(node.process.id), ProcessorTime.of(getpid()))
        let sample = try await ClosedLoad.run(clients: clients, for: plan.time) { client, number in
            _ = try await node.create("accept-\(round)-\(client)-\(number)", client: client)
            return 1
        }
        used.withLock { used in
            used.daemon += ProcessorTime.of(node.process.id) - daemon
            used.load += ProcessorTime.of(getpid()) - load
            used.payments += sample.count
        }
        return sample
    }

    private func report(_ contest: Contest, _ clients: Int, _ used: Used) {
        let (rate, bare) = (contest.rate("accept"), contest.rate("bare"))
        let (p99, bare99) = (contest.latency("accept", 0.99), contest.latency("bare", 0.99))
        let payments = Double(max(used.payments, 1))
        // Where flushes take their time, many payments share one, and a bare insert has its own.
        let share = plan.flushDelay == nil ? 0.35 : 1.5
        plan.report(
            Figure("accept", "POST /v1/payments acknowledged after commit").with("perSecond", rate)
                .with("clients", clients).with("bareInsert", bare).with("toBare", rate / bare)
                .with("p50Microseconds", contest.latency("accept", 0.5)).with("p99Microseconds", p99)
                .with("bareP99Microseconds", bare99)
                .with("daemonMillisecondsEach", used.daemon * 1000 / payments)
                .with("loadMillisecondsEach", used.load * 1000 / payments)
                .target(
                    "\(share) of bareInsert, p99 at most 5 of its",
                    isMet: rate >= share * bare && p99 <= 5 * bare99
                )
        )
    }

    /// What the same daemon does for another generator: it shows how much of the figure above is our own.
    private func reportWrk(_ contest: Contest, _ clients: Int) {
        let rate = contest.rate("wrk")
        plan.report(
            Figure("accept", "by wrk").with("perSecond", rate).with("clients", clients)
                .with("p99Milliseconds", contest.latency("wrk", 0.99) / 1000)
                .with("toOwnGenerator", rate / contest.rate("accept"))
        )
    }
}
