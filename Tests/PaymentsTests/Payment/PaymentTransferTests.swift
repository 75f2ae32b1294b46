import Kernel
import Payments
import Testing

/// Money that goes on to another card.
struct PaymentTransferTests {
    private func story() throws -> Story {
        var story = Story(Samples.capabilities(transfers: [.sdk]))
        try story.command(.create(Samples.terms(.transfer, method: .sdk)))
        return story
    }

    private func refusal(of terms: PaymentTerms, _ ways: Set<Capabilities.TransferWay>) -> String? {
        var story = Story(Samples.capabilities(transfers: ways))
        return PaymentsTests.refusal { () throws(Rejection) in try story.command(.create(terms)) }
    }

    @Test func `a transfer is no sale: what went on is neither captured nor refundable`() throws {
        var story = try story()
        story.see(Samples.seen("x1", .transfer))
        let sums = story.payment.amounts
        #expect(story.payment.status == .transferred)
        #expect(sums.transferred == 1999)
        #expect(sums.captured == 0)
        #expect(story.payment.captures.isEmpty)
        #expect(story.obligations.isEmpty)
    }

    @Test func `a transfer is neither captured nor taken back, paid or not`() throws {
        var story = try story()
        for isPaid in [false, true] {
            if isPaid { story.see(Samples.seen("x1", .transfer)) }
            let before = story.payment
            for command: PaymentCommand in [
                .capture(amount: nil, reason: nil), .void(amount: nil, reason: nil),
                .refund(amount: nil, capture: nil, reason: nil),
            ] {
                let code = PaymentsTests.refusal { () throws(Rejection) in try story.command(command) }
                #expect(code == "transfer_final")
            }
            #expect(story.payment == before)
        }
    }

    @Test func `a transfer begins only in a way that its account has`() {
        #expect(refusal(of: Samples.terms(.transfer, method: .sdk), []) == "transfer_not_supported")
        #expect(refusal(of: Samples.terms(.transfer, method: .hosted), [.sdk]) == "transfer_method")
        #expect(refusal(of: Samples.terms(.transfer, method: .sdk), [.page]) == "transfer_method")
        #expect(refusal(of: Samples.terms(.transfer, method: .wallet), [.page, .sdk]) == "transfer_method")
        #expect(refusal(of: Samples.terms(.transfer, method: .hosted), [.page]) == nil)
        #expect(refusal(of: Samples.terms(.transfer, 0, method: .sdk), [.sdk]) == "amount_not_positive")
    }

    @Test func `a transfer that succeeds after its end is booked and somebody is told`() throws {
        var story = try story()
        story.observe(.attempt(.closed(.expired)))
        #expect(story.payment.status == .expired)
        story.see(Samples.seen("x1", .transfer))
        #expect(story.payment.status == .transferred)
        #expect(story.obligations.map(\.kind) == [.lateSuccess])
    }

    @Test func `a transfer can be disputed, and a lost dispute is no contradiction`() throws {
        var story = try story()
        story.see(Samples.seen("x1", .transfer))
        let dispute = DisputeId(Samples.uuid(0xD))
        func record(_ stage: Dispute.Stage) -> PaymentCommand {
            .recordDispute(id: dispute, capture: nil, amount: .cents(1999), stage: stage, reason: nil)
        }
        try story.command(record(.opened))
        #expect(story.payment.status == .disputed)
        try story.command(record(.lost))
        #expect(story.payment.status == .chargedBack)
        #expect(!story.payment.isFrozen)
        #expect(story.payment.overReturned == 0)
    }

    @Test func `a dispute ends with no more than was disputed`() throws {
        var story = try story()
        story.see(Samples.seen("x1", .transfer))
        let id = DisputeId(Samples.uuid(0xD))
        try story.command(.recordDispute(id: id, capture: nil, amount: .cents(500), stage: .opened, reason: nil))
        let code = PaymentsTests.refusal { () throws(Rejection) in
            try story.command(.recordDispute(id: id, capture: nil, amount: .cents(501), stage: .lost, reason: nil))
        }
        #expect(code == "amount_exceeds_available")
    }
}
