import Benchmarks
import Engine
import EventSourcing
import Kernel
import Payments
import Postgres
import Projections
import Store
import SystemKit

/// Searches for payments in a large book, each for another payment: the median of each kind, and how long nine in ten, and all, took.
struct SearchBench {
    private let plan: BenchPlan
    private let payments: Int

    private static let standardPayments = 10_000_000
    private static let searches = 300
    private static let target = 0.020
    private static let account = Uuid(high: 0xACC0_0000, low: 1)

    init(_ plan: BenchPlan, payments: Int?) {
        self.plan = plan
        self.payments = payments ?? Self.standardPayments
    }

    func run() async throws {
        try await BenchBooks.with(plan) { books in
            for (step, sql) in SearchBook(payments: payments, merchant: books.merchant, account: Self.account).steps {
                StandardStream.error.write("\(step)\n")
                try await books.pool.withConnection { connection async throws(PostgresFailure) in
                    try await connection.script(sql)
                }
            }
            let view = PaymentView(books.store, streamCache: StreamCache(store: books.store), folds: FoldCache())
            for (name, query) in Self.kinds {
                try await measure(name, view, books.merchant, query)
            }
        }
    }

    private func measure(
        _ name: String,
        _ view: PaymentView,
        _ merchant: MerchantNumber,
        _ query: (inout PaymentQuery, Int) -> Void
    ) async throws {
        var random = SplitMix64(seed: 14)
        var times: [Duration] = []
        var rows = 0
        for _ in 0..<Self.searches {
            var asked = PaymentQuery(nil)
            query(&asked, Int(random.next() % UInt64(payments)))
            let begun = ContinuousClock.now
            rows += try await view.list(asked, merchant: merchant).rows.count
            times.append(begun.duration(to: .now))
        }
        guard rows > 0 else { throw CommandFailure("'\(name)' found no payment") }
        let sample = Sample(count: times.count, elapsed: times.reduce(.zero, +), latencies: times)
        let nine = sample.latency(0.9) / 1000
        plan.report(
            Figure("search", name).with("payments", payments).with("searches", times.count).with("rows", rows)
                .with("medianMilliseconds", sample.latency(0.5) / 1000).with("p90Milliseconds", nine)
                .with("worstMilliseconds", sample.latency(1) / 1000)
                .target("20 ms for nine in ten", isMet: nine <= Self.target * 1000)
        )
    }

    /// Kinds of searches, each with what it asks for of a payment's number.
    private static let kinds: [(String, @Sendable (inout PaymentQuery, Int) -> Void)] = [
        ("the newest", { _, _ in }),
        ("reference", { $0.reference = SearchBook.reference($1) }),
        ("provider reference", { $0.providerReference = SearchBook.providerReference($1) }),
        ("customer", { $0.customer = SearchBook.customer($1) }),
        ("e-mail", { $0.emailCodes = [SearchBook.code(of: $1)] }),
        ("masked card", { $0.card = MaskedCard(SearchBook.mask($1)) }),
        ("amount", { ($0.amountFrom, $0.amountTo) = (SearchBook.amount($1), SearchBook.amount($1)) }),
        (
            "range of amounts, with a status",
            { query, number in
                (query.amountFrom, query.amountTo) = (SearchBook.amount(number), SearchBook.amount(number) + 10)
                query.status = .captured
            }
        ),
        ("label", { $0.labels = [SearchBook.label($1)] }),
        ("needs an operator", { query, _ in query.needsOperator = true }),
        (
            "customer, in a month",
            { query, number in
                query.customer = SearchBook.customer(number)
                let at = SearchBook.created(number)
                (query.createdFrom, query.createdBefore) = (
                    at.adding(.seconds(-15 * 86_400)), at.adding(.seconds(15 * 86_400))
                )
            }
        ),
    ]
}
