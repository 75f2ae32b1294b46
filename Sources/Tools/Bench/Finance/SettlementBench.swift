import Benchmarks
import EventSourcing
import Glibc
import Kernel
import Payments
import Postgres
import Projections
import Settlement
import Store
import SystemKit

/// An import of a settlement file whose lines all have their movement, beside COPY of the same rows.
struct SettlementBench {
    private let plan: BenchPlan
    private let lines: Int

    private static let standardLines = 1_000_000
    /// Lines of one piece of the file.
    private static let linesPerPiece = 50
    private static let account = Uuid(high: 0x5e77_1e00, low: 1)

    init(_ plan: BenchPlan, lines: Int?) {
        self.plan = plan
        self.lines = lines ?? Self.standardLines
    }

    func run() async throws {
        let lines = self.lines
        try await BenchBooks.with(plan) { books in
            let (pool, merchant) = (books.pool, books.merchant)
            try await pool.withConnection { connection async throws(PostgresFailure) in
                try await connection.script(Self.movements(merchant, lines))
            }
            let before = ProcessMemory.of(getpid()).peak
            let begun = ContinuousClock.now
            let read = Locked(Duration.zero)
            let outcome = try await SettlementImporter(books.store).run(
                Self.request(merchant),
                as: SettlementFileId(Self.account)
            ) {
                [pieces = Pieces(lines)] in
                pieces.next()
            } progress: { done in
                if done.isRead { read.withLock { $0 = begun.duration(to: .now) } }
            }
            let elapsed = begun.duration(to: .now) / .seconds(1)
            guard case .imported = outcome else { throw CommandFailure("the file was not imported: \(outcome)") }
            let after = ProcessMemory.of(getpid()).peak
            let open = try await pool.withConnection { connection async throws(PostgresFailure) in
                try await connection.query("SELECT count(*) FROM paystream.settlement_exception") {
                    row throws(PostgresFailure) in try row.int64(0)
                }
            }
            guard open == [0] else { throw CommandFailure("\(open) exceptions, of lines that all have their movement") }
            let copied = try await Self.copy(pool)
            let (rate, baseline) = (Double(lines) / elapsed, Double(lines) / copied)
            plan.report(
                Figure("settlement", "lines imported, matched and their fees booked").with("perSecond", rate)
                    .with("lines", lines).with("seconds", elapsed)
                    .with("readSeconds", read.withLock { $0 / .seconds(1) })
                    .with("copyPerSecond", baseline)
                    .with("toCopy", rate / baseline).with("peakMemoryGrowthMegabytes", after - before)
                    .target("20000 lines a second", isMet: rate >= 20_000)
            )
        }
    }

    private static func request(_ merchant: MerchantNumber) throws -> SettlementImport {
        guard let mapping = SettlementMapping.standard(for: "ecommpay") else { throw CommandFailure("no mapping") }
        return SettlementImport(
            merchant: merchant,
            account: AccountFacts(id: account, name: "bench", provider: "ecommpay", mode: .live, version: 1),
            mapping: mapping,
            digest: [1],
            actor: "bench"
        )
    }

    /// A movement for each line.
    private static func movements(_ merchant: MerchantNumber, _ count: Int) -> String {
        """
        INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency, items,
            effective_at, known_at, part, provider_reference, account, account_name, account_mode, provider, evidence, commanded, cause)
        SELECT \(merchant), md5(n::text)::uuid, 5, 0, 1, n, 'captured', 1000 + n % 1000, 'EUR', 1, '2026-11-21 10:00:00Z',
               '2026-11-21 10:00:00Z', 'op', (1000000000 + n)::text, '\(account)', 'bench', 'live', 'ecommpay', 'provider', true,
               md5(n::text)::uuid
          FROM generate_series(1, \(count)) AS n;
        ANALYZE paystream.movement;
        """
    }

    /// Seconds that COPY takes for the same rows into a table with the same indexes.
    private static func copy(_ pool: PostgresPool) async throws -> Double {
        let file = "/tmp/paystream-bench-lines-\(getpid())"
        defer { unlink(file) }
        return try await pool.withConnection { connection async throws(PostgresFailure) in
            try await connection.script(
                """
                CREATE TABLE bench.line (LIKE paystream.settlement_line INCLUDING ALL);
                COPY paystream.settlement_line TO '\(file)';
                """
            )
            let begun = ContinuousClock.now
            try await connection.script("COPY bench.line FROM '\(file)'")
            return begun.duration(to: .now) / .seconds(1)
        }
    }

    /// The file, made while it is read.
    private final class Pieces: Sendable {
        private let lines: Int
        private let made = Locked(-1)

        init(_ lines: Int) { self.lines = lines }

        func next() -> [UInt8]? {
            made.withLock { made in
                guard made >= 0 else {
                    made = 0
                    let header =
                        "payment_id,operation_id,operation_type,operation_status,amount,currency,commission,operation_date\n"
                    return Array(header.utf8)
                }
                guard made < lines else { return nil }
                let last = min(lines, made + SettlementBench.linesPerPiece)
                var text = ""
                for number in (made + 1)...last {
                    let cents = 1000 + number % 1000
                    let tail = cents % 100 < 10 ? "0\(cents % 100)" : "\(cents % 100)"
                    text += "order-\(number),\(1_000_000_000 + number),sale,success,\(cents / 100).\(tail),EUR,0.15,"
                    text += "2026-11-21 10:00:00\n"
                }
                made = last
                return Array(text.utf8)
            }
        }
    }
}
