import Benchmarks
import Engine
import EventSourcing
import Glibc
import Http
import Kernel
import Payments
import Store
import SystemKit

/// What a daemon's steps cost in a large log beside a small one: append, read, load, claim, list, due scan, search.
struct GrowthBench {
    private let plan: BenchPlan
    /// Payments of the large log.
    private let payments: Int
    private static let few = 1000
    private static let target = 1.2
    private static let steps = ["append", "read", "load", "list", "search", "rare", "claim", "due"]

    init(_ plan: BenchPlan, payments: Int?) {
        self.plan = plan
        self.payments = payments ?? 1_000_000
    }

    func run() async throws {
        let clients = plan.clients ?? 64
        try await BenchDatabase.with(plan) { large in
            try await SandboxProcess.with(large) { sandbox in
                try await large.besideAnother { small in
                    try await BenchNode.with(small, clients: clients, gate: sandbox.address) { smallNode in
                        let few = try await seed(smallNode, Self.few)
                        try await BenchNode.with(large, clients: clients, gate: sandbox.address) { largeNode in
                            let many = try await seed(largeNode, payments)
                            try await compare(few, many)
                            try await lookAtPages(many)
                        }
                    }
                }
            }
        }
    }

    /// A daemon beside a filled log.
    private struct Filled: Sendable {
        let node: BenchNode
        let payments: Int
        let events: Int64
        /// As many of its payments in every log: more of them are held by no daemon, and would be asked of the server in the large one alone.
        let ids: [PaymentId]
    }

    /// Fills a log with copies of one payment.
    private func seed(_ node: BenchNode, _ count: Int) async throws -> Filled {
        let template = try await Lifecycles.with(node) { try await $0.live("template-\(count)", 0) }
        let seed = GrowthSeed(pool: node.pool, merchant: node.merchant)
        try await seed.copy(template, count: count) { done in
            guard done % 100_000 == 0 else { return }
            StandardStream.error.write("\(done) of \(count) payments are written\n")
        }
        let events = try await seed.events(of: template) * Int64(count)
        return Filled(node: node, payments: count, events: events, ids: try await seed.ids(Self.few, among: count))
    }

    // MARK: The steps

    private func compare(_ small: Filled, _ large: Filled) async throws {
        for step in Self.steps {
            let contest = try await Contest.run(
                rounds: plan.rounds,
                [
                    ("small", { try await run(step, small) }), ("large", { try await run(step, large) }),
                ]
            )
            let (few, many) = (contest.rate("small"), contest.rate("large"))
            plan.report(
                Figure("growth", step).with("payments", large.payments).with("events", Int(large.events))
                    .with("perSecond", many).with("smallPayments", small.payments).with("smallPerSecond", few)
                    .with("ratio", few / many)
                    .target("1.2 of the time with \(Self.few) payments", isMet: few <= Self.target * many)
            )
        }
    }

    /// How long pages of the console take in the large log, for one person.
    private func lookAtPages(_ log: Filled) async throws {
        let cookie = try await log.node.signedIn()
        for (name, path) in Self.pages {
            var times: [Duration] = []
            for _ in 0..<Self.looks {
                let begun = ContinuousClock.now
                try await log.node.page(path, cookie: cookie)
                times.append(begun.duration(to: .now))
            }
            let sample = Sample(count: times.count, elapsed: times.reduce(.zero, +), latencies: times)
            let nine = sample.latency(0.9) / 1000
            plan.report(
                Figure("growth", "console, \(name)").with("payments", log.payments).with("looks", times.count)
                    .with("medianMilliseconds", sample.latency(0.5) / 1000).with("p90Milliseconds", nine)
                    .target("100 ms for nine in ten", isMet: nine <= 100)
            )
        }
    }

    private static let looks = 30
    private static let pages = [
        ("overview", "/console/overview?mode=test"), ("payments", "/console/payments"),
        ("a search", "/console/payments?reference=\(GrowthSeed.reference(7))"), ("open items", "/console/open"),
        ("reports", "/console/reports"), ("reconciliation", "/console/reconciliation"), ("health", "/console/health"),
    ]

    private func run(_ step: String, _ log: Filled) async throws -> Sample {
        let store = log.node.store
        switch step {
        case "append":
            return try await StoreBench(store, run: .random(in: 0...(.max))).single(clients: 2, for: plan.time)
        case "load":
            return try await ClosedLoad.run(clients: 2, for: plan.time) { client, number in
                let id = log.ids[Self.mixed(client, number) % log.ids.count]
                let name = StreamName(log.node.merchant, .payment, id.uuid)
                guard try await store.load([(name, 0)]).first?.isEmpty == false else {
                    throw CommandFailure("\(id) has no events")
                }
                return 1
            }
        case "claim":
            return try await ClosedLoad.run(clients: 2, for: plan.time) { _, _ in
                _ = try await store.claimEffects(owner: "bench", lease: .seconds(1))
                return 1
            }
        case "due":
            return try await ClosedLoad.run(clients: 2, for: plan.time) { _, _ in
                _ = try await store.dueTimers(limit: Scheduler.page)
                return 1
            }
        default:
            return try await ClosedLoad.run(clients: 4, for: plan.time) { client, number in
                let path = Self.path(step, log, Self.mixed(client, number))
                try await log.node.expect(200, .get, path, nil, client: client + 4 * number)
                return 1
            }
        }
    }

    private static func path(_ step: String, _ log: Filled, _ chosen: Int) -> String {
        switch step {
        case "read": "/v1/payments/\(log.ids[chosen % log.ids.count])"
        case "search": "/v1/payments?reference=\(GrowthSeed.reference(chosen % log.payments))"
        // What no payment has: a page looks at as many rows as it may.
        case "rare": "/v1/payments?status=disputed&provider=dolyame&method=sdk&amountFrom=0"
        default: "/v1/payments?limit=50"
        }
    }

    /// Numbers that jump about.
    private static func mixed(_ client: Int, _ number: Int) -> Int {
        var random = SplitMix64(seed: UInt64(client) << 32 | UInt64(number))
        return Int(random.next() >> 1)
    }
}
