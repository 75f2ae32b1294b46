import Benchmarks
import Engine
import EventSourcing
import Kernel
import Payments
import Postgres
import Store
import SystemKit

/// How fast all read models are built from a log, beside a COPY of the same rows into tables with the same indexes.
struct ProjectionsBench {
    private let plan: BenchPlan
    private let payments: Int
    private static let target = 20_000.0
    private static let share = 0.3

    init(_ plan: BenchPlan, payments: Int?) {
        self.plan = plan
        self.payments = payments ?? 100_000
    }

    func run() async throws {
        try await BenchDatabase.with(plan) { database in
            try await SandboxProcess.with(database) { sandbox in
                try await BenchNode.with(database, clients: 1, gate: sandbox.address) { node in
                    let template = try await Lifecycles.with(node) { try await $0.live("template", 0) }
                    let seed = GrowthSeed(pool: node.pool, merchant: node.merchant)
                    try await seed.copy(template, count: payments) { _ in }
                    let events = try await seed.events(of: template) * Int64(payments)
                    let contest = try await Contest.run(
                        rounds: plan.rounds,
                        [
                            ("projections", { try await build(node.store, Int(events)) }),
                            ("copy", { try await copy(node.pool, Int(events)) }),
                        ]
                    )
                    let (rate, bare) = (contest.rate("projections"), contest.rate("copy"))
                    plan.report(
                        Figure("projections", "all read models").with("payments", payments).with("events", Int(events))
                            .with("perSecond", rate).with("copyPerSecond", bare).with("ratio", rate / bare)
                            .target(
                                "20000 events a second, and 0.3 of COPY",
                                isMet: rate >= Self.target && rate >= Self.share * bare
                            )
                    )
                }
            }
        }
    }

    /// Builds a copy of each, all side by side.
    private func build(_ store: PostgresStore, _ events: Int) async throws -> Sample {
        let views = ReadModels(store, streamCache: StreamCache(store: store))
        let begin = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for view in views.all {
                group.addTask { try await Projection(view).build() }
            }
            try await group.waitForAll()
        }
        let elapsed = ContinuousClock.now - begin
        for view in views.all { _ = try await Projection(view).drop() }
        return Sample(count: events, elapsed: elapsed)
    }

    /// Writes the rows of all read models again, from files.
    private func copy(_ pool: PostgresPool, _ events: Int) async throws -> Sample {
        try await pool.withConnection { connection async throws(PostgresFailure) in
            try await connection.script("SET statement_timeout = 0")
            try await connection.script(Self.copyOut)
            let begin = ContinuousClock.now
            try await connection.script(Self.copyIn)
            let elapsed = ContinuousClock.now - begin
            try await connection.script("DROP SCHEMA bench_copy CASCADE; RESET statement_timeout")
            return Sample(count: events, elapsed: elapsed)
        }
    }

    /// Read models of payments: the others have no rows in this log.
    private static let tables = "ARRAY['payment_view', 'movement', 'public_event']"

    private static let copyOut = """
        DO $copy$
        DECLARE
            name text;
        BEGIN
            CREATE SCHEMA bench_copy;
            FOREACH name IN ARRAY \(tables) LOOP
                EXECUTE format('CREATE TABLE bench_copy.%I (LIKE paystream.%I INCLUDING ALL)', name, name);
                EXECUTE format('COPY paystream.%I TO %L', name, current_setting('data_directory') || '/bench_' || name);
            END LOOP;
        END $copy$
        """

    private static let copyIn = """
        DO $copy$
        DECLARE
            name text;
        BEGIN
            FOREACH name IN ARRAY \(tables) LOOP
                EXECUTE format('COPY bench_copy.%I FROM %L', name, current_setting('data_directory') || '/bench_' || name);
            END LOOP;
        END $copy$
        """
}
