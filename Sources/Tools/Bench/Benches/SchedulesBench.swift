import Benchmarks
import Daemon
import Engine
import EventSourcing
import Glibc
import HttpClient
import Kernel
import Payments
import Postgres
import Sandbox
import Schedules
import Store
import SystemKit

/// Recurring payments at size: what a due scan costs beside many armed schedules, what a fired occurrence costs through the
/// whole daemon, how late a single one is, and whether memory stays flat.
struct SchedulesBench {
    private let plan: BenchPlan
    /// Schedules that are armed in the large run.
    private let armed: Int
    /// Those of them that fall due at one moment.
    private let due: Int
    private static let smallArmed = 10_000
    private static let target = 1.2
    /// Milliseconds from due to paid, each, on the machine whose bare inserts are the usual ones.
    private static let firedMilliseconds = 2.5
    /// Clients of the bare insert, as many as the other benches over HTTP have.
    private static let bareClients = 64

    init(_ plan: BenchPlan, armed: Int?, due: Int?) {
        self.plan = plan
        self.armed = armed ?? 1_000_000
        self.due = due ?? (armed ?? 1_000_000) / 10
    }

    func run() async throws {
        let small = try await scan(armed: Self.smallArmed, due: Self.smallArmed / 10, rounds: 20)
        let large = try await scan(armed: armed, due: due, rounds: 1)
        let ratio = large.processor / small.processor
        plan.report(
            Figure("schedules", "due scan with \(armed) armed, \(due) due at once").with("armed", armed)
                .with("due", due).with("microsecondsEach", large.wall * 1e6)
                .with("processorMicrosecondsEach", large.processor * 1e6).with("smallArmed", Self.smallArmed)
                .with("smallMicrosecondsEach", small.wall * 1e6)
                .with("smallProcessorMicrosecondsEach", small.processor * 1e6).with("ratio", ratio)
                .target("1.2 of the processor time with 10000 armed", isMet: ratio <= Self.target)
        )
        let few = try await fire(armed: Self.smallArmed, due: min(due, Self.smallArmed), singles: 0)
        let bare = try await bareInserts()
        let many = try await fire(armed: armed, due: due, singles: 30)
        report(few, many, bare)
    }

    private static func seconds(_ begun: ContinuousClock.Instant) -> Double {
        let spent = begun.duration(to: .now)
        return Double(spent.components.seconds) + Double(spent.components.attoseconds) / 1e18
    }

    // MARK: The scan alone

    /// Seconds for each timer that is found and turned into an input.
    private struct Cost: Sendable {
        var wall = 0.0
        /// PostgreSQL's and ours: what else the machine does is no part of it.
        var processor = 0.0
    }

    /// Finds and fires what is due, with nobody else at the database.
    private func scan(armed: Int, due: Int, rounds: Int) async throws -> Cost {
        let sum = Locked(Cost())
        try await BenchDatabase.with(plan) { database in
            let pool = PostgresPool(PostgresOptions(address: database.address), limit: 2)
            let store = PostgresStore(pool)
            let merchant = try await Registers(store).makeMerchant(named: "bench").number
            for round in 0..<rounds {
                try await arm(pool, merchant, armed: armed, due: due)
                let begun = ContinuousClock.now
                let processor = Self.processor(database)
                var count = 0
                while true {
                    let timers = try await store.dueTimers(limit: Scheduler.page)
                    guard !timers.isEmpty else { break }
                    let now = try await store.now()
                    try await store.fire(timers.map { ($0, Scheduler.input(of: $0, at: now)) })
                    count += timers.count
                }
                guard count == due else { throw CommandFailure("round \(round) fired \(count) of \(due)") }
                let spent = Self.processor(database) - processor
                sum.withLock { sum in
                    sum.wall += Self.seconds(begun)
                    sum.processor += spent
                }
            }
            await pool.drain()
        }
        let fired = Double(due * rounds)
        return sum.withLock { Cost(wall: $0.wall / fired, processor: $0.processor / fired) }
    }

    private static func processor(_ database: BenchDatabase) -> Double {
        (database.server.map { ProcessorTime.ofFamily($0) } ?? 0) + ProcessorTime.of(getpid())
    }

    /// Timers of schedules, of which some are due; what an earlier round left is gone.
    private func arm(_ pool: PostgresPool, _ merchant: MerchantNumber, armed: Int, due: Int) async throws {
        try await pool.withConnection { connection async throws(PostgresFailure) in
            try await connection.script("SET statement_timeout = 0")
            try await connection.script("TRUNCATE paystream.due, paystream.mail, paystream.undecided, paystream.input")
            try await connection.execute(
                """
                INSERT INTO paystream.due (business, merchant, stream_kind, stream)
                SELECT CASE WHEN n <= $3 THEN now() ELSE now() + n * interval '1 second' + interval '1 day' END,
                       $1, 3, md5('s' || n)::uuid FROM generate_series(1, $2::int) n
                """,
                [.int32(merchant.value), .int32(Int32(armed)), .int32(Int32(due))]
            )
            try await connection.script("VACUUM ANALYZE paystream.due")
        }
    }

    /// Bare inserts a second, on a server of their own: what they write would come into the log of what fires.
    private func bareInserts() async throws -> Double {
        let rate = Locked(0.0)
        try await BenchDatabase.with(plan) { database in
            let bare: Contest.Contender = (
                "bare",
                { try await database.raw(RawDatabase.bareInsert, clients: Self.bareClients, seconds: plan.seconds) }
            )
            let contest = try await Contest.run(rounds: plan.rounds, [bare])
            rate.withLock { $0 = contest.rate("bare") }
        }
        return rate.withLock { $0 }
    }

    // MARK: The whole daemon

    private struct Fired: Sendable {
        var armed = 0
        var due = 0
        var seconds = 0.0
        var daemon = 0.0
        var server = 0.0
        var memoryBefore = 0.0
        var memoryPeak = 0.0
        var memoryAfter = 0.0
        var lateness: [Double] = []
    }

    /// Lets occurrences fall due beside a daemon and the sandbox, until each was paid.
    private func fire(armed: Int, due: Int, singles: Int) async throws -> Fired {
        let result = Locked(Fired())
        try await BenchDatabase.with(plan) { database in
            try await SandboxProcess.with(database) { sandbox in
                let settings: Json = ["gateTokenPaths": ["sale": "/v2/payment/card/sale/token"]]
                try await BenchNode.with(database, clients: 1, gate: sandbox.address, settings: settings) { node in
                    var fired = Fired(armed: armed, due: due)
                    let token = try await node.token()
                    let far = try await node.store.now().adding(.seconds(20 * 365 * 86_400))
                    try await node.seed(0..<(armed - due), token: token, dueAt: Self.whole(far))
                    if singles > 0 {
                        fired.lateness = try await node.lateness(of: singles, token: token, first: armed)
                        try await node.waitForPaid(singles)
                    }
                    // Written before it is due, so that nothing but the firing is measured.
                    let now = try await node.store.now()
                    let moment = Self.whole(now.adding(.seconds(Int64(10 + due / 2000))))
                    try await node.seed((armed - due)..<armed, token: token, dueAt: moment)
                    try await node.wait(until: moment)
                    fired.memoryBefore = ProcessMemory.of(node.process.id).now
                    let begun = ContinuousClock.now
                    let daemon = ProcessorTime.of(node.process.id)
                    let server = database.server.map { ProcessorTime.ofFamily($0) } ?? 0
                    try await node.waitForPaid(due + singles)
                    fired.seconds = Self.seconds(begun)
                    fired.daemon = ProcessorTime.of(node.process.id) - daemon
                    fired.server = (database.server.map { ProcessorTime.ofFamily($0) } ?? 0) - server
                    fired.memoryPeak = ProcessMemory.of(node.process.id).peak
                    fired.memoryAfter = ProcessMemory.of(node.process.id).now
                    let told = fired
                    result.withLock { $0 = told }
                }
            }
        }
        return result.withLock { $0 }
    }

    /// Calendars have no smaller step than a second.
    private static func whole(_ time: Timestamp) -> Timestamp { Timestamp(seconds: time.seconds) }

    private func report(_ few: Fired, _ many: Fired, _ bare: Double) {
        func each(_ fired: Fired, _ sum: Double) -> Double { sum * 1000 / Double(max(1, fired.due)) }
        let ratio = each(many, many.seconds) / each(few, few.seconds)
        let allowed = Self.firedMilliseconds * BenchPlan.usualBare / bare
        let absolute = "\(Self.firedMilliseconds) ms each where bare is \(Int(BenchPlan.usualBare)) a second"
        plan.report(
            Figure("schedules", "due to paid at the sandbox, \(many.due) at once").with("armed", many.armed)
                .with("perSecond", Double(many.due) / many.seconds)
                .with("millisecondsEach", each(many, many.seconds))
                .with("daemonMillisecondsEach", each(many, many.daemon))
                .with("postgresMillisecondsEach", each(many, many.server))
                .with("smallArmed", few.armed).with("smallMillisecondsEach", each(few, few.seconds))
                .with("ratio", ratio).with("barePerSecond", bare)
                .target(
                    "1.15 of the cost with 10000 armed; \(absolute)",
                    isMet: ratio <= 1.15 && each(many, many.seconds) <= allowed
                )
        )
        plan.report(
            Figure("schedules", "daemon's memory while \(many.due) fire").with("megabytesBefore", many.memoryBefore)
                .with("megabytesPeak", many.memoryPeak).with("megabytesAfter", many.memoryAfter)
                .with("smallMegabytesPeak", few.memoryPeak)
                .target("250 MB, and flat", isMet: many.memoryPeak <= 250 && many.memoryPeak <= few.memoryPeak * 1.5)
        )
        let late = many.lateness.sorted()
        guard !late.isEmpty else { return }
        plan.report(
            Figure("schedules", "lateness of a single occurrence beside \(many.armed - many.due) armed")
                .with("occurrences", late.count).with("medianSeconds", late[late.count / 2])
                .with("worstSeconds", late.last ?? 0)
                .target("median below 1 s", isMet: late[late.count / 2] < 1)
        )
    }
}

extension BenchNode {
    /// A sealed token of a card that the sandbox knows.
    fileprivate func token() async throws -> Json {
        let vault = KeyVault(
            ring: ring,
            rows: SubjectRows(registers: Registers(store), ring: ring),
            random: SystemRandom(),
            clock: WallClock.now
        )
        let token = EcommpayTestCard.visaApproved.token(project: SandboxMerchants.project)
        do throws(VaultFailure) {
            let sealed = try await vault.seal(
                ["token": .string(token)],
                paths: ["token"],
                subject: account,
                merchant: merchant
            )
            return sealed["token"] ?? .null
        } catch {
            throw CommandFailure("the token can't be sealed: \(error.detail)")
        }
    }

    fileprivate func seed(_ numbers: Range<Int>, token: Json, dueAt: Timestamp) async throws {
        let seed = ScheduleSeed(pool: pool, merchant: merchant)
        let bodies = try ScheduleSeed.bodies(account, token: token, dueAt: dueAt, at: try await store.now())
        try await seed.write(numbers, bodies, dueAt: dueAt)
        try await seed.finish()
    }

    /// How late single occurrences begin, each alone: from their second to the payment's first event.
    fileprivate func lateness(of count: Int, token: Json, first: Int) async throws -> [Double] {
        var late: [Double] = []
        for number in 0..<count {
            let moment = Timestamp(seconds: try await store.now().seconds + 2)
            let seed = ScheduleSeed(pool: pool, merchant: merchant)
            let bodies = try ScheduleSeed.bodies(account, token: token, dueAt: moment, at: try await store.now())
            try await seed.write((first + number)..<(first + number + 1), bodies, dueAt: moment)
            late.append(try await started(first + number).since(moment).seconds)
        }
        return late
    }

    /// When a schedule's first occurrence was started, by the log.
    private func started(_ number: Int) async throws -> Timestamp {
        let merchant = merchant
        for _ in 0..<2000 {
            let found = try await pool.withConnection { connection async throws(PostgresFailure) in
                try await connection.query(
                    """
                    SELECT at FROM paystream.event
                     WHERE merchant = $1 AND stream = md5('s' || $2::int)::uuid AND ver > 3 ORDER BY ver LIMIT 1
                    """,
                    [.int32(merchant.value), .int32(Int32(number))]
                ) { row throws(PostgresFailure) in try row.timestamp(0) }
            }
            if let at = found.first { return at }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw CommandFailure("schedule \(number) never started")
    }

    fileprivate func wait(until moment: Timestamp) async throws {
        let left = moment.since(try await store.now())
        guard left >= .zero else { throw CommandFailure("writing took longer than the time until they are due") }
        try await Task.sleep(for: left)
    }

    /// So long without a new position in the log, nothing more is waited for.
    private static let patience = Duration.seconds(120)

    /// Returns when so many schedules have been paid once, by the read model.
    ///
    /// Payments are as few as occurrences that fired; to count among all schedules that are armed takes longer than many of them.
    fileprivate func waitForPaid(_ count: Int) async throws {
        try await wait(for: count, "payments", "SELECT count(*) FROM paystream.payment_view WHERE status = 'captured'")
        try await wait(for: count, "schedules", "SELECT count(*) FROM paystream.schedule_view WHERE paid > 0")
    }

    private func wait(for count: Int, _ what: String, _ question: String) async throws {
        var (last, moved) = (Int64(-1), ContinuousClock.now)
        while true {
            let found = try await pool.withConnection { connection async throws(PostgresFailure) in
                try await connection.query("SELECT (\(question)), last_value FROM paystream.pos_seq") {
                    row throws(PostgresFailure) in (paid: try row.int64(0), position: try row.int64(1))
                }
            }
            guard let (paid, position) = found.first else { continue }
            if paid >= count { return }
            if position != last { (last, moved) = (position, .now) }
            guard moved.duration(to: .now) < Self.patience else {
                throw CommandFailure("\(paid) of \(count) \(what) were paid, and the log has not moved for two minutes")
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}

extension Duration {
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
