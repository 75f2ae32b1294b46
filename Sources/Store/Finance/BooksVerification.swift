package import EventSourcing
import Kernel
import Payments
import Postgres
import Projections

/// What came of holding the books against the log.
package struct BooksReport: Sendable {
    /// Differences that are listed at most; all are counted.
    package static let listed = 100

    /// Streams whose money was looked at.
    package fileprivate(set) var streams = 0
    /// Sums of accounts of the ledger, of a merchant and a currency each.
    package fileprivate(set) var balances = 0
    /// The position of the log up to which the books hold it.
    package fileprivate(set) var position: Int64 = 0
    package fileprivate(set) var found = 0
    package fileprivate(set) var differences: [String] = []

    package var isClean: Bool { found == 0 }

    fileprivate mutating func add(_ more: [String]) {
        found += more.count
        differences += more.prefix(Self.listed - differences.count)
    }
}

/// Holds what stands booked against the log: the movements and postings of each stream against its fold, and the ledger's accounts
/// against all folds together.
///
/// It needs the memory of a page of streams, and runs beside a living daemon.
package struct BooksVerification: Sendable {
    /// One account of the ledger: what all streams of a merchant make of it in a currency.
    private struct Balance: Hashable {
        let merchant: Int32
        let account: String
        let currency: String
    }

    /// Streams that are read at once.
    private static let page = 200

    private let store: PostgresStore
    private let view: MovementView

    package init(_ store: PostgresStore, _ views: ReadModels) {
        self.store = store
        view = views.movements
    }

    package func verify(progress: @Sendable (BooksReport) -> Void = { _ in }) async throws(StoreFailure) -> BooksReport
    {
        var report = BooksReport()
        let shown = try await view.follower.shown()
        guard shown == nil || shown?.version == view.follower.version else {
            report.add(["version \(shown?.version ?? 0) of movements is shown, which this program doesn't make"])
            return report
        }
        try await view.catchUp()
        report.position = try await view.checkpoint()
        let aside = try await view.follower.setAside()
        report.add(aside.map { "\($0.merchant)/\($0.id) is set aside: its money is not in the books" }.sorted())
        var balances: [Balance: Int64] = [:]
        var last: StreamName?
        while true {
            let page = try await store.streams(after: last, limit: Self.page)
            guard let end = page.last else { break }
            let moving = page.filter { stream in
                (stream.kind.isPayment || stream.kind == .chunk)
                    && !aside.contains(MerchantKey(merchant: stream.merchant, id: stream.id))
            }
            try await hold(moving, &report, &balances)
            last = end
            progress(report)
        }
        report.add(try await differences(from: balances, at: report.position))
        report.balances = balances.count
        return report
    }

    private func hold(_ streams: [StreamName], _ report: inout BooksReport, _ balances: inout [Balance: Int64])
        async throws(StoreFailure)
    {
        guard !streams.isEmpty else { return }
        let booked = try await booked(streams, at: report.position)
        for (stream, (history, booked)) in zip(streams, zip(try await store.load(streams.map { ($0, 0) }), booked)) {
            // The books end at their checkpoint, the log may have gone on.
            let known = Array(history.prefix { $0.position <= report.position })
            let seen = try readable(stream) { () throws(CodecFailure) in
                try BooksCheck.differences(of: stream, known, booked: booked)
            }
            report.streams += 1
            report.add(seen.differences)
            for (account, sum) in seen.accounts where sum != 0 {
                let key = Balance(merchant: stream.merchant.value, account: account, currency: seen.currency)
                balances[key, default: 0] += sum
            }
        }
    }

    /// The movements and postings of each stream.
    private func booked(_ streams: [StreamName], at position: Int64) async throws(StoreFailure) -> [BooksCheck.Booked] {
        let rows = try await store.read(
            """
            SELECT u.o::int, v.kind, r.ledger_account, v.currency, sum(v.amount)::bigint, sum(v.amount * r.side)::bigint
              FROM unnest($1::int[], $2::uuid[]) WITH ORDINALITY AS u (m, s, o)
              JOIN paystream.movement v ON v.merchant = u.m AND v.stream = u.s AND v.pos <= $3
              LEFT JOIN paystream.posting_rule r ON r.movement = v.kind
             GROUP BY 1, 2, 3, 4
            """,
            [.int32s(streams.map(\.merchant.value)), .uuids(streams.map(\.id)), .int64(position)]
        ) { row throws(PostgresFailure) in
            (
                unit: Int(try row.int32(0)) - 1, kind: try row.text(1), account: row.isNull(2) ? nil : try row.text(2),
                currency: try row.text(3), moved: try row.int64(4), posted: row.isNull(5) ? 0 : try row.int64(5)
            )
        }
        var all = [BooksCheck.Booked](repeating: .init(), count: streams.count)
        // A movement stands here once for each of its lines.
        var counted: Set<[String]> = []
        for row in rows {
            all[row.unit].currencies.insert(row.currency)
            if let kind = MovementKind(rawValue: row.kind),
                counted.insert([String(row.unit), row.kind, row.currency]).inserted
            {
                all[row.unit].movements[kind, default: 0] += row.moved
            }
            if let account = row.account { all[row.unit].postings[account, default: 0] += row.posted }
        }
        return all
    }

    /// Holds the ledger as everybody reads it against what all streams come to, and what settlement files and persons booked beside them.
    private func differences(from balances: [Balance: Int64], at position: Int64) async throws(StoreFailure)
        -> [String]
    {
        let rows = try await store.read(
            """
            SELECT merchant, ledger_account, currency, sum(amount)::bigint FROM (
                SELECT m.id AS merchant, p.ledger_account, p.currency, p.amount
                  FROM paystream.postings p JOIN paystream.merchant m ON m.name = p.merchant WHERE p.position <= $1
                UNION ALL
                SELECT e.merchant, r.ledger_account, e.currency, -e.amount * r.side
                  FROM paystream.settlement_entry e
                  JOIN paystream.settlement_act a ON a.merchant = e.merchant AND a.id = e.act AND a.pos <= $1
                  JOIN paystream.posting_rule r ON r.movement = e.kind) p
             GROUP BY 1, 2, 3
            """,
            [.int64(position)]
        ) { row throws(PostgresFailure) in
            (Balance(merchant: try row.int32(0), account: try row.text(1), currency: try row.text(2)), try row.int64(3))
        }
        let posted = Dictionary(uniqueKeysWithValues: rows)
        return Set(posted.keys).union(balances.keys).filter { posted[$0] ?? 0 != balances[$0] ?? 0 }.map {
            "merchant \($0.merchant), account \($0.account) in \($0.currency): "
                + "the ledger says \(posted[$0] ?? 0), the streams \(balances[$0] ?? 0)"
        }.sorted()
    }
}
