import Kernel
import Payments
import TestKit
import Testing

/// Merging is a join: commutative, associative, idempotent.
struct ProviderTransactionTests {
    private struct Broken: Error {}

    @Test func `merging does not depend on order, grouping or repetition`() throws {
        try forAll(runs: 500, seed: 500_000) { random in
            let seen = (0..<4).map { _ in
                let other = random.hostileTransaction(["ours"])
                return ProviderOperation(
                    providerId: "p",
                    kind: other.kind,
                    outcome: other.outcome,
                    amount: other.amount,
                    ourReference: other.ourReference,
                    createdAt: other.createdAt,
                    changedAt: other.changedAt
                )
            }
            func merged(_ order: [ProviderOperation]) -> ProviderTransaction {
                var transaction = ProviderTransaction(order[0])
                for other in order.dropFirst() { transaction.merge(other) }
                return transaction
            }
            let expected = merged(seen)
            var pairs = merged([seen[2], seen[3]])
            pairs.merge(merged([seen[1], seen[0]]))
            guard merged(seen.shuffled(using: &random)) == expected, merged(seen + seen.reversed()) == expected,
                pairs == expected
            else { throw Broken() }
        }
    }

    @Test func `final beats open, success beats refusal, later beats earlier`() {
        var transaction = ProviderTransaction(Samples.seen("p", .sale, .processing, at: 50))
        transaction.merge(Samples.seen("p", .sale, .waiting(.threeDSecure), at: 10))
        #expect(transaction.latest.outcome == .processing)
        transaction.merge(Samples.seen("p", .sale, .declined(Samples.decline), at: 5))
        #expect(transaction.latest.outcome == .declined(Samples.decline))
        transaction.merge(Samples.seen("p", .sale, .succeeded, at: 1))
        #expect(transaction.latest.outcome == .succeeded)
        #expect(transaction.conflicts == [.outcome])
        transaction.merge(Samples.seen("p", .sale, .processing, at: 99))
        #expect(transaction.latest.outcome == .succeeded)
    }

    @Test func `the amount of an unfinished message is no claim about the finished one`() {
        var transaction = ProviderTransaction(Samples.seen("p", .sale, .processing, 900))
        transaction.merge(Samples.seen("p", .sale, .succeeded, nil))
        #expect(transaction.finalAmount == nil)
        transaction.merge(Samples.seen("p", .sale, .succeeded, 1999))
        #expect(transaction.finalAmount == .cents(1999))
        #expect(transaction.conflicts.isEmpty)
    }

    @Test func `another amount, currency, kind or name of a finished operation conflicts`() {
        func conflicts(_ other: ProviderOperation) -> Set<ContradictionKind> {
            var transaction = ProviderTransaction(Samples.seen("p", .sale, reference: "a"))
            transaction.merge(other)
            return transaction.conflicts
        }
        #expect(conflicts(Samples.seen("p", .sale, .succeeded, 2000)) == [.amount])
        #expect(conflicts(Samples.seen("p", .sale, .succeeded, 1999, currency: Samples.dollar)) == [.currency])
        #expect(conflicts(Samples.seen("p", .authorize)) == [.identity])
        #expect(conflicts(Samples.seen("p", .sale, reference: "b")) == [.identity])
        #expect(conflicts(Samples.seen("p", .sale, .processing, 1)) == [])
    }
}
