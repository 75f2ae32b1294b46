import Daemon
import EventSourcing
import Kernel
import Payments
import Postgres
import Projections
import Store
import TestKit
import Testing

/// A read model that is built again beside the one that everybody reads, and held against it.
@Suite(.timeLimit(.minutes(2)))
struct ViewRebuildTests {
    /// The view of payments; each page that it writes makes the log longer.
    private struct GrowingView: FollowedView {
        var view: PaymentView
        let grow: @Sendable () async throws(StoreFailure) -> Void

        var follower: ViewFollower {
            get { view.follower }
            set { view.follower = newValue }
        }

        func write(_ page: ViewPage) async throws(StoreFailure) -> Bool {
            try await grow()
            return try await view.write(page)
        }
    }

    @Test func `what is shown and its copy are held against each other at the same position of the log`() async throws {
        try await NodeHarness.run("sameposition") { harness in
            _ = try await harness.created("first")
            try await harness.until { try await harness.listed() == 1 }
            let projection = Projection(harness.node.views.payments)
            try await projection.build()
            _ = try await harness.created("second")
            try await harness.until { try await harness.listed() == 2 }
            let (shown, copy) = try await projection.pictures()
            #expect(shown.hasPrefix("2:") && copy == shown)
        }
    }

    @Test func `what is shown rests as long as its copy takes to come up to it`() async throws {
        try await NodeHarness.run("slowcopy") { harness in
            _ = try await harness.created("first")
            let isSlow = Locked(false)
            let view = GrowingView(view: harness.node.views.payments) { () async throws(StoreFailure) in
                // Longer than a transaction may rest elsewhere.
                if isSlow.withLock({ $0 }) { try? await Task.sleep(for: .seconds(6)) }
            }
            let projection = Projection(view)
            try await projection.build()
            _ = try await harness.created("second")
            try await harness.until { try await harness.listed() == 2 }
            isSlow.withLock { $0 = true }
            let (shown, copy) = try await projection.pictures()
            #expect(shown.hasPrefix("2:") && copy == shown)
        }
    }

    @Test func `a view is followed, built again and compared in a log that grows with each of its pages`() async throws
    {
        try await NodeHarness.run("growing") { harness in
            let id = try await harness.created("growing")
            let backend = harness.backend
            let view = GrowingView(view: harness.node.views.payments) { () async throws(StoreFailure) in
                do { try await backend.execute(Self.oneMore(id)) } catch {
                    throw StoreFailure(.unavailable, detail: "\(error)")
                }
            }
            try await view.catchUp()
            let horizon = try await harness.node.store.horizon()
            let outcome = try await ViewRebuild.run(view, harness.node.store)
            guard case .identical(let picture) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(picture.hasPrefix("1:"))
            #expect(try await harness.node.store.horizon() > horizon)
        }
    }

    @Test func `a count that was changed is seen, and one of nothing is no difference`() async throws {
        try await NodeHarness.run("counts") { harness in
            _ = try await harness.created("counted")
            let (view, store) = (harness.node.views.payments, harness.node.store)
            #expect(try await Self.isRebuiltAsItWas(view, store))
            try await harness.backend.execute(
                """
                INSERT INTO paystream.payment_count
                SELECT merchant, at, account_mode, provider, account_name, currency, status, 'soft', 0, 0
                  FROM paystream.payment_count LIMIT 1
                """
            )
            #expect(try await Self.isRebuiltAsItWas(view, store))
            try await harness.backend.execute("UPDATE paystream.payment_count SET payments = payments + 1")
            #expect(try await !Self.isRebuiltAsItWas(view, store))
            #expect(try await Self.isRebuiltAsItWas(view, store))
        }
    }

    @Test func `money that only movements tell is held against the log, and what settlement told is not`() async throws
    {
        try await NodeHarness.run("moneycounts") { harness in
            let (view, store) = (harness.node.views.movements, harness.node.store)
            func insert(_ isMovement: Bool, _ kind: String, _ amount: Int) async throws {
                try await harness.backend.execute(
                    """
                    INSERT INTO paystream.money_count
                    VALUES (\(harness.merchant.value), now(), \(isMovement), gen_random_uuid(), 'test', '\(kind)', 'EUR', \(amount))
                    """
                )
            }
            try await insert(false, "fee", 700)
            try await insert(true, "captured", 0)
            #expect(try await Self.isRebuiltAsItWas(view, store))
            try await insert(true, "captured", 1)
            #expect(try await !Self.isRebuiltAsItWas(view, store))
            #expect(try await Self.isRebuiltAsItWas(view, store))
        }
    }

    private static func isRebuiltAsItWas(_ view: any FollowedView, _ store: PostgresStore) async throws -> Bool {
        if case .identical = try await ViewRebuild.run(view, store) { return true }
        return false
    }

    /// A payment's next event, which changes nothing but the version of its row.
    private static func oneMore(_ id: Uuid) -> String {
        """
        WITH moved AS (UPDATE paystream.stream SET ver = ver + 1 WHERE id = '\(id)' RETURNING *)
        INSERT INTO paystream.event (pos, merchant, ver, stream_kind, stream, cause, type, data)
        SELECT nextval('paystream.pos_seq'), m.merchant, m.ver, 1, m.id, gen_random_uuid(),
               'payment.unrecognised_reported.v1', '{"value":"x","what":"y"}' FROM moved m
        """
    }
}

extension NodeHarness {
    /// A payment that came to its end.
    fileprivate func created(_ key: String) async throws -> Uuid {
        let body = """
            {"mode":"sale","amount":{"value":1999,"currency":"EUR"},"reference":"\(key)",
             "details":{"payer":{"email":"payer@example.org"}}}
            """
        return try await created(key, body)
    }

    /// How many payments the list shows.
    fileprivate func listed() async throws -> Int {
        try await node.views.payments.list(PaymentQuery(.payment), merchant: merchant).rows.count
    }
}
