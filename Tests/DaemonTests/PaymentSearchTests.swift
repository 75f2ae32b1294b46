import Daemon
import Engine
import EventSourcing
import Kernel
import Payments
import Postgres
import Projections
import Store
import TestKit
import Testing

/// The search over rows of the read model: right in every combination, and bounded in what it reads.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct PaymentSearchTests {
    private static let rows = 30_000

    /// Rows of two merchants: statuses, amounts, references, customers and cards in every mixture, with moments that repeat.
    private static func seed(_ merchant: MerchantNumber) -> String {
        """
        INSERT INTO paystream.payment_view (merchant, id, version, pos, status, currency, amount, reference, customer, account,
            account_mode, needs_operator, has_obligations, created_at, updated_at, document, kind, disputed, provider, captured,
            refunded, transferred, held, in_dispute, charged_back, method, instrument, labels)
        SELECT m, md5(m || 'p' || n)::uuid, 1, n, (ARRAY['succeeded', 'failed', 'processing'])[1 + n % 3],
               (ARRAY['EUR', 'UAH'])[1 + n % 2], n % 997, 'ref-' || n % 5000, CASE WHEN n % 4 > 0 THEN 'cust-' || n % 300 END,
               md5('account' || n % 3)::uuid, CASE WHEN n % 10 = 0 THEN 'live' ELSE 'test' END, n % 100 = 0, n % 50 = 0,
               '2026-01-01Z'::timestamptz + n / 7 * interval '1 minute', now(), json_build_object('n', n), CASE WHEN n % 20 = 0 THEN 7 ELSE 1 END,
               n % 200 = 0, (ARRAY['ecommpay', 'portmone'])[1 + n % 2], 0, 0, 0, 0, 0, 0,
               CASE WHEN n % 6 = 0 THEN 'instrument' ELSE 'hosted' END, CASE WHEN n % 6 = 0 THEN md5('card' || n % 600)::uuid END,
               \(labels)
          FROM generate_series(1, \(rows)) n, unnest(ARRAY[\(merchant), \(merchant) + 1]) m;
        INSERT INTO paystream.payment_label (merchant, label, created_at, id)
        SELECT v.merchant, l.label, v.created_at, v.id FROM paystream.payment_view v, unnest(v.labels) l (label);
        INSERT INTO paystream.instrument_view (merchant, id, version, pos, status, customer, account, created_at, document)
        SELECT \(merchant), md5('card' || n)::uuid, 1, 1, 'active', NULL, md5('a')::uuid, now(),
               json_build_object('masked', CASE WHEN n < 300 THEN '431422******0056' ELSE '512345**-****-' || 1000 + n END,
                                 'payment', 'pay_' || md5(\(merchant) || 'p' || n + 1))
          FROM generate_series(0, 594, 6) n;
        INSERT INTO paystream.payer_index (merchant, code, subject, customer, payment)
        SELECT \(merchant), decode(repeat('0' || n % 5, 20), 'hex'), md5('s' || n)::uuid, CASE WHEN n < 10 THEN 'cust-' || n END,
               md5(\(merchant) || 'p' || n)::uuid
          FROM generate_series(1, 40) n;
        INSERT INTO paystream.movement (merchant, stream, version, number, stream_kind, pos, kind, amount, currency, items,
            effective_at, known_at, account, account_name, account_mode, provider, evidence, commanded, cause, provider_reference)
        SELECT \(merchant), md5(\(merchant) || 'p' || n)::uuid, 1, 0, 1, n, 'captured', 1, 'EUR', 1, now(), now(), md5('a')::uuid, 'a',
               'live', 'ecommpay', 'provider', true, md5('c')::uuid, 'op-' || n % 100
          FROM generate_series(1, 500) n;
        ANALYZE paystream.payment_view;
        """
    }

    /// All have one label, every other one another, and some have one that is theirs.
    private static let labels = """
        CASE WHEN n % 3 > 0 THEN ARRAY[\(label("channel", "web")), \(label("half", "\"' || n % 2 || '\""))]
            || CASE WHEN n % 700 = 1 THEN ARRAY[\(label("rare", "yes"))] ELSE '{}' END END
        """

    /// The code of a pair, by the words of the database.
    private static func label(_ name: String, _ value: String) -> String {
        let text = value.hasPrefix("\"") ? value : "\"\(value)\""
        return "encode(substr(sha256(convert_to('[\"\(name)\",\(text)]', 'UTF8')), 1, 16), 'hex')::uuid"
    }

    /// A condition of a query and the same in plain SQL over the seed.
    private struct Part {
        let name: String
        let sql: String
        let set: (inout PaymentQuery) -> Void
    }

    private static func parts(_ merchant: MerchantNumber) -> [Part] {
        func uuid(_ text: String) -> String { "md5('\(text)')::uuid" }
        return [
            Part(name: "status", sql: "status = 'failed'") { $0.status = .failed },
            Part(name: "reference", sql: "reference = 'ref-42'") { $0.reference = "ref-42" },
            Part(name: "customer", sql: "customer = 'cust-7'") { $0.customer = "cust-7" },
            Part(name: "amount", sql: "amount = 21") { ($0.amountFrom, $0.amountTo) = (21, 21) },
            Part(name: "range", sql: "amount BETWEEN 10 AND 30") { ($0.amountFrom, $0.amountTo) = (10, 30) },
            Part(name: "wide", sql: "amount >= 100") { $0.amountFrom = 100 },
            Part(name: "currency", sql: "currency = 'UAH'") { $0.currency = Currency("UAH") },
            Part(name: "provider", sql: "provider = 'portmone'") { $0.provider = "portmone" },
            Part(name: "method", sql: "method = 'instrument'") { $0.method = .instrument },
            Part(name: "mode", sql: "account_mode = 'live'") { $0.accountMode = .live },
            Part(name: "operator", sql: "needs_operator") { $0.needsOperator = true },
            Part(name: "disputed", sql: "disputed") { $0.isDisputed = true },
            Part(
                name: "provider reference",
                sql: "id IN (SELECT stream FROM paystream.movement WHERE provider_reference = 'op-9')"
            ) { $0.providerReference = "op-9" },
            Part(
                name: "card",
                sql:
                    "(instrument IN (SELECT id FROM paystream.instrument_view WHERE document ->> 'masked' = '512345**-****-1306') "
                    + "OR 'pay_' || replace(id::text, '-', '') IN (SELECT document ->> 'payment' FROM paystream.instrument_view "
                    + "WHERE document ->> 'masked' = '512345**-****-1306'))"
            ) { $0.card = MaskedCard("512345** **** 1306") },
            Part(
                name: "email",
                sql: "EXISTS (SELECT FROM paystream.payer_index i WHERE i.code = decode(repeat('03', 20), 'hex') "
                    + "AND (i.customer = v.customer OR i.customer IS NULL AND i.payment = v.id))"
            ) { $0.emailCodes = [[UInt8](repeating: 9, count: 20), [UInt8](repeating: 3, count: 20)] },
            Part(name: "common label", sql: "labels @> ARRAY[\(label("channel", "web"))]") {
                $0.labels.append(PaymentLabel.code("channel", "web"))
            },
            Part(name: "half of them", sql: "labels @> ARRAY[\(label("half", "1"))]") {
                $0.labels.append(PaymentLabel.code("half", "1"))
            },
            Part(name: "rare label", sql: "labels @> ARRAY[\(label("rare", "yes"))]") {
                $0.labels.append(PaymentLabel.code("rare", "yes"))
            },
            Part(name: "nobody's label", sql: "false") { $0.labels.append(PaymentLabel.code("nobody", "has")) },
            Part(name: "time", sql: "created_at >= '2026-01-02T00:00:00Z' AND created_at < '2026-01-03T12:00:00Z'") {
                $0.createdFrom = Timestamp("2026-01-02T00:00:00Z")
                $0.createdBefore = Timestamp("2026-01-03T12:00:00Z")
            },
        ]
    }

    @Test
    func `every combination finds what a plain look through all rows finds, page by page, and reads a bounded part`()
        async throws
    {
        try await NodeHarness.run("search") { harness in
            // It counts what is owed now and then, by whole scans of a table of this size.
            await harness.node.drain()
            try await harness.backend.execute("SET statement_timeout = 0")
            try await harness.backend.script(Self.seed(harness.merchant))
            let parts = Self.parts(harness.merchant)
            let bounded = try await Bounded(harness)
            var random = SplitMix64(seed: 225)
            for round in 0..<160 {
                let count = round < parts.count * 2 ? 1 + round / parts.count : Int.random(in: 0...4, using: &random)
                var chosen = round < parts.count ? [parts[round]] : []
                while chosen.count < count {
                    let part = parts[Int.random(in: 0..<parts.count, using: &random)]
                    let isAmount = ["amount", "range", "wide"].contains(part.name)
                    guard !chosen.contains(where: { $0.name == part.name }),
                        !(isAmount && chosen.contains { ["amount", "range", "wide"].contains($0.name) })
                    else { continue }
                    chosen.append(part)
                }
                try await Self.compare(chosen, kind: round % 5 == 0 ? .transfer : .payment, harness, bounded)
            }
            await bounded.pool.drain()
        }
    }

    private static func compare(_ parts: [Part], kind: StreamKind, _ harness: NodeHarness, _ bounded: Bounded)
        async throws
    {
        let name = parts.map(\.name).joined(separator: ", ") + " of \(kind)"
        let conditions = (parts.map(\.sql) + ["kind = \(kind.rawValue)"]).joined(separator: " AND ")
        let expected = try await harness.backend.query(
            """
            SELECT (v.document ->> 'n')::int FROM paystream.payment_view v WHERE v.merchant = \(harness.merchant) AND \(conditions)
             ORDER BY v.created_at DESC, v.id DESC
            """
        ) { row throws(PostgresFailure) in Int64(try row.int32(0)) }
        // That look reads the whole table, and must be counted before the search is.
        _ = try await harness.backend.execute("SELECT pg_stat_force_next_flush()")
        var query = PaymentQuery(kind)
        for part in parts { part.set(&query) }
        query.limit = 50
        var found: [Int64] = []
        // Some pages of what is found everywhere tell enough.
        for _ in 0..<25 {
            let before = try await bounded.reads()
            let page = try await bounded.view.list(query, merchant: harness.merchant)
            let after = try await bounded.reads()
            found += page.rows.compactMap { $0["n"]?.integer }
            #expect(after.scans == before.scans, "\(name) reads a whole table")
            #expect(
                after.rows - before.rows <= 2 * Int64(3000) + 1100,
                "\(name) reads \(after.rows - before.rows) rows"
            )
            query.cursor = page.next
            if page.next == nil { break }
        }
        if query.cursor == nil {
            #expect(found == expected, "\(name)")
        } else {
            #expect(found == Array(expected.prefix(found.count)) && !found.isEmpty, "\(name)")
        }
    }

    /// A view over one connection, whose reads are counted.
    private struct Bounded {
        let pool: PostgresPool
        let view: PaymentView
        private let backend: PostgresConnection

        init(_ harness: NodeHarness) async throws {
            pool = PostgresPool(harness.database.options, limit: 1)
            let engine = harness.node.engine
            view = PaymentView(PostgresStore(pool), streamCache: engine.streamCache, folds: engine.folds)
            backend = harness.backend
        }

        /// Whole scans of the table, and rows that its indexes led to.
        func reads() async throws -> (scans: Int64, rows: Int64) {
            try await pool.withConnection { connection async throws(PostgresFailure) in
                _ = try await connection.execute("SELECT pg_stat_force_next_flush()")
            }
            let found = try await pool.withConnection { connection async throws(PostgresFailure) in
                try await connection.query(
                    "SELECT seq_scan, idx_tup_fetch FROM pg_stat_user_tables WHERE relid = 'paystream.payment_view'::regclass"
                ) { row throws(PostgresFailure) in (scans: try row.int64(0), rows: try row.int64(1)) }
            }
            return found.first ?? (0, 0)
        }
    }

    @Test func `a masked card shows some of its digits, and a number is none`() {
        #expect(MaskedCard("431422******0056")?.digits == "4314220056")
        #expect(MaskedCard("4314 22XX XXXX 0056")?.digits == "4314220056")
        #expect(MaskedCard("43142200****0056")?.digits == "4314220056")
        #expect(MaskedCard("****0056")?.digits == "00560056")
        for wrong in ["4314220000000056", "4314 2200 0000 0056", "", "****", "431422******00ab", "4314220000000*"] {
            #expect(MaskedCard(wrong) == nil, "\(wrong)")
        }
    }
}
