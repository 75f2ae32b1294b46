import Benchmarks
import Kernel

/// Whole lifecycles against the sandbox: create, 3-D Secure, authorised, captured, projected, all on one machine.
struct LifecycleBench {
    private let plan: BenchPlan
    private static let paymentsPerRound = 200
    /// What sandbox and generator may use of the whole: they are not what is measured.
    private static let shareThatMeasures = 0.2

    init(_ plan: BenchPlan) { self.plan = plan }

    func run() async throws {
        let clients = plan.clients ?? 64
        try await LifecycleStage.with(plan, clients: clients) { stage in
            let rounds = Locked<[StageCounts]>([])
            let contest = try await Contest.run(
                rounds: plan.rounds,
                [
                    (
                        "bare",
                        {
                            try await stage.database.raw(
                                RawDatabase.bareInsert,
                                clients: clients,
                                seconds: plan.seconds
                            )
                        }
                    ),
                    ("lifecycle", { try await round(stage, clients, rounds) }),
                ]
            )
            // The first round only warmed up.
            let spent = rounds.withLock { $0 }.dropFirst()
            guard let first = spent.first else { return }
            let each = spent.dropFirst().reduce(first, +) / (spent.count * Self.paymentsPerRound)
            report(contest, clients, each)
            reportShare(each)
        }
    }

    private func round(_ stage: LifecycleStage, _ clients: Int, _ rounds: Locked<[StageCounts]>) async throws
        -> Sample
    {
        let number = rounds.withLock(\.count)
        let before = try await stage.counts()
        let sample = try await ClosedLoad.run(clients: clients, pieces: 0..<Self.paymentsPerRound) { piece in
            try await stage.lifecycles.live("life-\(number)-\(piece)", piece)
        }
        let after = try await stage.counts()
        rounds.withLock { $0.append(after - before) }
        return sample
    }

    private func report(_ contest: Contest, _ clients: Int, _ each: StageCounts) {
        let (rate, bare) = (contest.rate("lifecycle"), contest.rate("bare"))
        let (daemon, server) = (each["daemonMilliseconds"] ?? 0, each["postgresMilliseconds"] ?? 0)
        let flushes = each["flushes"] ?? 0
        let share = clients < 256 ? 0.03 : 0.04
        let pace = bare / BenchPlan.usualBare
        let usual = Int(BenchPlan.usualBare)
        plan.report(
            Figure("lifecycle", "created, 3-D Secure, authorised, captured, projected").with("perSecond", rate)
                .with("clients", clients).with("bareInsert", bare)
                .with("p50Microseconds", contest.latency("lifecycle", 0.5))
                .with("p99Microseconds", contest.latency("lifecycle", 0.99))
                .with("daemonMillisecondsEach", daemon).with("postgresMillisecondsEach", server)
                .with("flushesEach", flushes)
                .with("toBare", rate / bare)
                .target(
                    "\(share) of bareInsert; 1.4 ms daemon, 1.6 ms PostgreSQL where that is \(usual) a second",
                    isMet: rate >= share * bare && daemon * pace <= 1.4 && server * pace <= 1.6
                )
        )
    }

    private func reportShare(_ each: StageCounts) {
        guard let share = each.shareOfTime else { return }
        plan.report(
            Figure("lifecycle", "sandbox and generator in the processor time of all")
                .with("sandboxMillisecondsEach", each["sandboxMilliseconds"] ?? 0)
                .with("generatorMillisecondsEach", each["generatorMilliseconds"] ?? 0).with("share", share)
                .target("together under \(Self.shareThatMeasures)", isMet: share < Self.shareThatMeasures)
        )
    }
}
