import EventSourcing
import Kernel
import Payments
import Projections
import Testing

/// Money that moved is counted at the account where it moved.
struct FallbackMovementTests {
    private let first = RouteSamples.first
    private let second = RouteSamples.second

    private func movements(_ story: FallbackStory) -> [Movement] {
        let stream = StreamName(MerchantNumber(1), .payment, story.payment.id.uuid)
        let history = story.story.log.indices.map { index in
            RecordedEvent(
                stream: stream,
                version: Int32(index) + 1,
                position: Int64(index) + 1,
                type: "",
                cause: stream.id,
                recordedAt: Samples.noon,
                data: []
            )
        }
        var payment = Payment(id: PaymentId(stream.id))
        var found: [Movement] = []
        for (recorded, event) in zip(history, story.story.log) {
            let before = payment
            payment.evolve(event)
            found += Movement.all(recorded, from: before, to: payment)
        }
        return found
    }

    @Test func `money of an attempt before is its own account's, whatever the payment has moved on to`() throws {
        var story = try FallbackStory()
        story.observe(first, .attempt(.closed(.declined(Decline(reason: .soft, code: "1", tableVersion: 1)))))
        #expect(story.tried == [first, second])
        story.see(second, Samples.seen("s2", .sale, .succeeded, 1999))
        story.see(first, Samples.seen("s1", .sale, .succeeded, 1999))
        story.see(first, Samples.seen("r1", .refund, .succeeded, 500))
        let told = movements(story).map { "\($0.kind.rawValue) \($0.amount.minor) \($0.account.id == first ? 1 : 2)" }
        #expect(told == ["captured 1999 2", "captured 1999 1", "refunded 500 1"])
        let sums = story.payment.attemptNumbers.map { story.payment.share(of: $0) }
        #expect(sums.reduce(0) { $0 + $1.captured } == story.payment.amounts.captured)
    }

    @Test func `what a provider keeps, and its word for the method, are those of its own attempt`() throws {
        var story = try FallbackStory()
        story.observe(first, .method("card", scheme: "visa"), .fee(.cents(10)))
        story.observe(first, .attempt(.closed(.declined(Decline(reason: .soft, code: "1", tableVersion: 1)))))
        #expect(story.tried == [first, second])
        story.observe(second, .method("wallet", scheme: nil), .fee(.cents(7)))
        story.see(first, Samples.seen("s1", .sale, .succeeded, 1999))
        story.observe(first, .fee(.cents(30)), .commission(.cents(2)))
        // Totals of one attempt never go back, whatever another one's are.
        story.observe(first, .fee(.cents(20)))
        let told = movements(story).map {
            "\($0.kind.rawValue) \($0.amount.minor) \($0.account.id == first ? 1 : 2) \($0.method ?? "-")"
        }
        #expect(
            told == [
                "fee 10 1 card", "fee 7 2 wallet", "captured 1999 1 card", "fee 20 1 card", "payerCommission 2 1 card",
            ]
        )
        #expect(story.payment.fee == .cents(37) && story.payment.commission == .cents(2))
        // A log of before names no attempt: the same told again is not told twice.
        #expect(story.payment.unplacedSums.isEmpty)
        story.story.payment.evolve(.feeReported(.cents(50)))
        story.observe(first, .fee(.cents(50)))
        #expect(story.payment.fees == [1: .cents(30), 2: .cents(50)])
        story.observe(first, .fee(.cents(60)))
        #expect(story.payment.fees == [1: .cents(60), 2: .cents(50)])
    }
}
