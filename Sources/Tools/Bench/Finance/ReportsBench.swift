import Benchmarks
import Daemon
import EventSourcing
import Glibc
import Kernel
import Payments
import Postgres
import Projections
import Store
import SystemKit

/// Reports over a year of movements, written as CSV: how long each takes, and the most memory that it takes.
struct ReportsBench {
    private let plan: BenchPlan
    private let payments: Int

    private static let standardMovements = 10_000_000
    /// Megabytes of 1024 × 1024 bytes, of which the program itself is about 30: a little less than 100 of a million bytes.
    private static let most = 95.0
    /// Payments of one transaction.
    private static let page = 200_000
    private static let perPayment = 3

    init(_ plan: BenchPlan, movements: Int?) {
        self.plan = plan
        self.payments = (movements ?? Self.standardMovements) / Self.perPayment
    }

    private var movements: Int { payments * Self.perPayment }

    func run() async throws {
        try await BenchBooks.with(plan) { books in
            try await fill(books)
            let alone = try await sumAlone(books.pool)
            for report in [Report.turnover, .statement, .balance, .periods, .openItems] {
                try await measure(report.name, report, ReportQuery(), books, alone)
            }
            var listed = ReportQuery()
            listed.compared = .position(0)
            (listed.first, listed.end) = try await month(books.pool)
            try await measure("movements of a month", .turnover, listed, books, alone)
        }
    }

    private func measure(
        _ name: String,
        _ report: Report,
        _ query: ReportQuery,
        _ books: BenchBooks,
        _ alone: Double
    ) async throws {
        let file = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(file) }
        try ProcessMemory.restartPeak()
        let begun = ContinuousClock.now
        guard let rows = try await FinanceReports(books.store).open(report, query, of: books.merchant) else {
            throw CommandFailure("the books have not come to their end")
        }
        let head = rows.head.begin(.csv).utf8.count
        let bytes = try await ReportSpool.write(rows, .csv, to: file)
        let seconds = begun.duration(to: .now) / .seconds(1)
        let peak = ProcessMemory.of(getpid()).peak
        guard bytes > head else { throw CommandFailure("'\(name)' has no rows") }
        plan.report(
            Figure("reports", name).with("movements", movements).with("bytes", bytes)
                .with("seconds", seconds).with("sumAloneSeconds", alone).with("ratio", seconds / alone)
                .with("peakMegabytes", peak).target("less than 100 MB", isMet: peak < Self.most)
        )
    }

    // MARK: The book

    /// Seven accounts of two providers, a year that ends now: holds that are captured, each hundredth open and with a fee.
    private func fill(_ books: BenchBooks) async throws {
        for first in stride(from: 0, to: payments, by: Self.page) {
            let last = min(first + Self.page, payments) - 1
            let sql = Self.movementsSql(books.merchant, first...last, of: payments)
            try await books.pool.withConnection { connection async throws(PostgresFailure) in
                try await connection.script(sql)
            }
            StandardStream.error.write("\((last + 1) * Self.perPayment) of \(movements) movements are written\n")
        }
        let sql = Self.eventsSql(books.merchant, payments)
        try await books.pool.withConnection { connection async throws(PostgresFailure) in
            try await connection.script(sql)
            try await connection.script("VACUUM ANALYZE paystream.movement")
        }
    }

    private static func movementsSql(_ merchant: MerchantNumber, _ numbers: ClosedRange<Int>, of payments: Int)
        -> String
    {
        """
        INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency, items,
            effective_at, known_at, part, provider_reference, reference, account, account_name, account_mode, provider, method,
            evidence, commanded, cause)
        SELECT \(merchant), md5(p::text)::uuid, k.version, 0, 1, \(perPayment)::bigint * p + k.version,
               CASE WHEN p % 100 = 0 THEN k.opened ELSE k.captured END, 1000 + p % 1000,
               (ARRAY['EUR', 'UAH', 'JPY'])[1 + p % 3], 1, t.at, t.at, 'op', p::text, 'order-' || p,
               ('00000000-0000-0000-0000-00000000000' || p % 7)::uuid, 'account-' || p % 7, 'live',
               (ARRAY['ecommpay', 'portmone'])[1 + p % 7 % 2], 'card', 'provider', true, md5(p::text)::uuid
          FROM generate_series(\(numbers.lowerBound), \(numbers.upperBound)) AS p,
               LATERAL (VALUES (1, 'authorised', 'authorised'), (2, 'holdCaptured', 'fee'), (3, 'captured', 'payerCommission'))
                    AS k (version, captured, opened),
               LATERAL (SELECT now() - interval '365 days' * ((\(payments) - p)::float8 / \(payments))) AS t (at)
        """
    }

    /// An event for each day, since lists are bounded by the times of events, and the books' end behind all of them.
    private static func eventsSql(_ merchant: MerchantNumber, _ payments: Int) -> String {
        """
        SELECT setval('paystream.pos_seq', \(perPayment)::bigint * \(payments) + 1);
        SELECT paystream.extend_log();
        INSERT INTO paystream.event (pos, at, merchant, ver, stream_kind, stream, cause, type, data)
        SELECT 1 + \(perPayment)::bigint * \(payments) / 365 * d, now() - interval '1 day' * (365 - d), \(merchant), 1, 1,
               md5(d::text)::uuid, md5(d::text)::uuid, 'bench', '{}'
          FROM generate_series(0, 365) AS d;
        INSERT INTO paystream.checkpoint (name, version, pos) VALUES ('movement', 1, paystream.horizon())
            ON CONFLICT (name) DO UPDATE SET pos = EXCLUDED.pos;
        """
    }

    /// The days of a month half a year ago.
    private func month(_ pool: PostgresPool) async throws -> (String?, String?) {
        let days = try await pool.withConnection { connection async throws(PostgresFailure) in
            try await connection.query(
                "SELECT (now() - interval '6 months')::date::text, (now() - interval '5 months')::date::text"
            ) {
                row throws(PostgresFailure) in (try row.text(0), try row.text(1))
            }
        }
        return (days.first?.0, days.first?.1)
    }

    /// Seconds that the server takes to read the same rows and sum them.
    private func sumAlone(_ pool: PostgresPool) async throws -> Double {
        let begun = ContinuousClock.now
        try await pool.withConnection { connection async throws(PostgresFailure) in
            _ = try await connection.query(
                "SELECT kind, currency, account, sum(amount)::text FROM paystream.movement GROUP BY 1, 2, 3"
            ) { row throws(PostgresFailure) in try row.text(3) }
        }
        return begun.duration(to: .now) / .seconds(1)
    }
}
