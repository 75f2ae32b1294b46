import Benchmarks
import Engine
import EventSourcing
import Http
import Kernel
import Postgres
import Projections
import Store
import SystemKit

/// The event feed: how fast a reader catches up over HTTP, beside a SELECT of the same rows, and how soon a waiting one hears.
struct EventsBench {
    private let plan: BenchPlan
    private let payments: Int
    private static let target = 20_000.0
    /// Microseconds from a commit's answer to the event's.
    private static let delivery = 100_000.0
    private static let page = 500
    private static let waits = 50

    init(_ plan: BenchPlan, payments: Int?) {
        self.plan = plan
        self.payments = payments ?? 20_000
    }

    func run() async throws {
        try await BenchDatabase.with(plan) { database in
            try await SandboxProcess.with(database) { sandbox in
                try await BenchNode.with(database, clients: 2, gate: sandbox.address) { node in
                    try await node.tell(payments: payments)
                    try await measureReading(node)
                    try await measureWaiting(node)
                }
            }
        }
    }

    private func measureReading(_ node: BenchNode) async throws {
        let contest = try await Contest.run(
            rounds: plan.rounds,
            [("feed", { try await read(node) }), ("select", { try await select(node) })]
        )
        let (rate, bare) = (contest.rate("feed"), contest.rate("select"))
        plan.report(
            Figure("events", "read from the beginning over HTTP").with("payments", payments).with("perSecond", rate)
                .with("selectPerSecond", bare).with("ratio", rate / bare)
                .target("20000 events a second", isMet: rate >= Self.target)
        )
    }

    /// Two readers go from page to page.
    private func read(_ node: BenchNode) async throws -> Sample {
        let begin = ContinuousClock.now
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for reader in 0..<2 { group.addTask { try await read(node, reader, until: begin + plan.time) } }
            return try await group.reduce(0, +)
        }
        return Sample(count: count, elapsed: begin.duration(to: .now))
    }

    private func read(_ node: BenchNode, _ reader: Int, until end: ContinuousClock.Instant) async throws -> Int {
        var (count, cursor) = (0, "")
        while ContinuousClock.now < end {
            let path = "/v1/events?limit=\(Self.page)" + (cursor.isEmpty ? "" : "&after=\(cursor)")
            let answer = try await node.expect(200, .get, path, nil, client: reader)
            // What a reader needs of a page, without reading its events.
            let tail = String(decoding: answer.body.suffix(160), as: UTF8.self)
            guard let next = tail.firstRange(of: #","next":""#) else { throw CommandFailure("no cursor in \(tail)") }
            let rest = tail[next.upperBound...]
            cursor = rest.contains(#""hasMore":true"#) ? String(rest.prefix { $0 != "\"" }) : ""
            count += answer.body.count(of: Array(#"{"id":"evt_"#.utf8))
        }
        return count
    }

    /// The same rows in the same pages by the database's own client.
    private func select(_ node: BenchNode) async throws -> Sample {
        let (merchant, end) = (node.merchant, ContinuousClock.now + plan.time)
        let begin = ContinuousClock.now
        var (count, place) = (0, EventPosition.beginning)
        while ContinuousClock.now < end {
            let after = place
            let rows = try await node.pool.withConnection { connection async throws(PostgresFailure) in
                try await connection.query(
                    """
                    SELECT position, number, body FROM paystream.public_event
                     WHERE merchant = $1 AND (position, number) > ($2, $3) ORDER BY position, number LIMIT $4
                    """,
                    [.int32(merchant.value), .int64(after.position), .int16(after.number), .int32(Int32(Self.page))]
                ) { row throws(PostgresFailure) in
                    (EventPosition(try row.int64(0), try row.int16(1)), try row.bytes(2).count)
                }
            }
            place = rows.count < Self.page ? .beginning : rows.last?.0 ?? .beginning
            count += rows.count
        }
        return Sample(count: count, elapsed: begin.duration(to: .now))
    }

    /// A reader waits, a payment is made, and the time runs from the answer to who made it until the reader has the event.
    private func measureWaiting(_ node: BenchNode) async throws {
        var times: [Double] = []
        for number in 0..<Self.waits {
            let latest = try await node.expect(200, .get, "/v1/events?after=latest", nil, client: 0).json
            let path = "/v1/events?wait=20&types=payment.created&after=\(latest["next"]?.text ?? "")"
            async let heard = heard(node, path)
            try await Task.sleep(for: .milliseconds(60))
            _ = try await node.create("events-\(number)", client: 1)
            let made = ContinuousClock.now
            times.append(Double(max(0, made.duration(to: try await heard).components.attoseconds / 1_000_000_000_000)))
        }
        times.sort()
        let (p50, p99) = (times[times.count / 2], times[times.count * 99 / 100])
        plan.report(
            Figure("events", "from a commit's answer to a waiting reader").with("p50Microseconds", p50)
                .with("p99Microseconds", p99)
                .target("at most 100000", isMet: p99 <= Self.delivery)
        )
    }

    private func heard(_ node: BenchNode, _ path: String) async throws -> ContinuousClock.Instant {
        let answer = try await node.expect(200, .get, path, nil, client: 0)
        guard answer.json["items"]?.items?.isEmpty == false else { throw CommandFailure("nothing was told") }
        return .now
    }
}

extension BenchNode {
    /// Makes copies of one payment, and their events.
    func tell(payments: Int) async throws {
        let template = try await Lifecycles.with(self) { try await $0.live("template", 0) }
        try await GrowthSeed(pool: pool, merchant: merchant).copy(template, count: payments) { _ in }
        let view = ReadModels(store, streamCache: StreamCache(store: store)).events
        try await Projection(view).build()
        _ = try await Projection(view).swap()
    }
}

extension [UInt8] {
    /// How often a text is in it.
    fileprivate func count(of text: [UInt8]) -> Int {
        var (found, index) = (0, 0)
        while index + text.count <= count {
            if self[index] == text[0], self[index..<index + text.count].elementsEqual(text) { found += 1 }
            index += 1
        }
        return found
    }
}
