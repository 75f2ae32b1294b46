import Kernel
import Payments
import Testing

/// How many operations at the provider one payment is known by: matching them with ours costs more with each.
struct OperationBoundTests {
    @Test(arguments: [OperationKind.sale, .refund])
    func `what is more than a payment can have is a word that nobody knows, once`(_ kind: OperationKind) throws {
        var story = try Story(.sale)
        story.see(Samples.seen("s", .sale, .succeeded, 1999))
        let most = Payment.operationsKept
        for number in 1..<most + 20 { story.see(Samples.seen("x\(number)", kind, .declined(Samples.decline), 1)) }
        let kept = story.payment.operations.reduce(0) { $0 + $1.transactions.count }
        #expect(kept == most)
        #expect(story.payment.unrecognised == ["operations=more than \(most)"])
        // What is known goes on to be heard.
        story.see(Samples.seen("x1", kind, .succeeded, 1))
        #expect(story.payment.operations.contains { $0.transactions["x1"]?.succeeded == true })
    }
}
