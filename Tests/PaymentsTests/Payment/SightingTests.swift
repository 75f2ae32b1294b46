import Kernel
import Payments
import TestKit
import Testing

/// Merging is a join: commutative, associative, idempotent.
struct SightingTests {
    private struct Broken: Error {}

    @Test func `merging does not depend on order, grouping or repetition`() throws {
        try forAll(runs: 500, seed: 500_000) { random in
            let seen = (0..<4).map { _ in
                let other = random.hostileSighting(["ours"])
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
            func merged(_ order: [ProviderOperation]) -> Sighting {
                var sighting = Sighting(order[0])
                for other in order.dropFirst() { sighting.merge(other) }
                return sighting
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
        var sighting = Sighting(Samples.seen("p", .sale, .processing, at: 50))
        sighting.merge(Samples.seen("p", .sale, .waiting(.threeDSecure), at: 10))
        #expect(sighting.latest.outcome == .processing)
        sighting.merge(Samples.seen("p", .sale, .declined(Samples.decline), at: 5))
        #expect(sighting.latest.outcome == .declined(Samples.decline))
        sighting.merge(Samples.seen("p", .sale, .succeeded, at: 1))
        #expect(sighting.latest.outcome == .succeeded)
        #expect(sighting.conflicts == [.outcome])
        sighting.merge(Samples.seen("p", .sale, .processing, at: 99))
        #expect(sighting.latest.outcome == .succeeded)
    }

    @Test func `the amount of an unfinished message is no claim about the finished one`() {
        var sighting = Sighting(Samples.seen("p", .sale, .processing, 900))
        sighting.merge(Samples.seen("p", .sale, .succeeded, nil))
        #expect(sighting.finalAmount == nil)
        sighting.merge(Samples.seen("p", .sale, .succeeded, 1999))
        #expect(sighting.finalAmount == .cents(1999))
        #expect(sighting.conflicts.isEmpty)
    }

    @Test func `another amount, currency, kind or name of a finished operation conflicts`() {
        func conflicts(_ other: ProviderOperation) -> Set<ContradictionKind> {
            var sighting = Sighting(Samples.seen("p", .sale, reference: "a"))
            sighting.merge(other)
            return sighting.conflicts
        }
        #expect(conflicts(Samples.seen("p", .sale, .succeeded, 2000)) == [.amount])
        #expect(conflicts(Samples.seen("p", .sale, .succeeded, 1999, currency: Samples.dollar)) == [.currency])
        #expect(conflicts(Samples.seen("p", .authorize)) == [.identity])
        #expect(conflicts(Samples.seen("p", .sale, reference: "b")) == [.identity])
        #expect(conflicts(Samples.seen("p", .sale, .processing, 1)) == [])
    }
}
