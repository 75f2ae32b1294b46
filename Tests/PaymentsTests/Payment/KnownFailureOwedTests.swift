import Kernel
import Payments
import Testing

/// What was forgotten after some flows (hyperswitch 14330) is owed here by the type of what is unresolved, whichever flow it is of.
struct KnownFailureOwedTests {
    private let lost = Fact.dispatch(.unknown(reason: "timeout"))

    @Test func `hyperswitch 14330: every kind of lost message owes a question, whatever flow it is of`() throws {
        for kind in [OperationKind.capture, .void, .refund] {
            var story = try Story(kind == .refund ? .sale : .authorize)
            story.see(Samples.seen("i1", kind == .refund ? .sale : .authorize))
            switch kind {
            case .capture: try story.command(.capture(amount: nil, reason: nil))
            case .void: try story.command(.void(amount: nil, reason: nil))
            default: try story.command(.refund(amount: nil, capture: nil, reason: nil))
            }
            story.answer(lost)
            #expect(story.last.dispatches.map(\.planned.purpose) == [.query], "\(kind)")
            #expect(story.obligations.contains { $0.kind == .operation && $0.deadline != nil }, "\(kind)")
        }
    }

    @Test func `hyperswitch 14330: a lost opening owes a question`() throws {
        for mode in [PaymentMode.sale, .authorize, .verify, .tokenize] {
            var story = Story()
            story.opening = .request
            try story.command(.create(Samples.terms(mode, mode == .tokenize || mode == .verify ? nil : 1999)))
            story.answer(lost)
            #expect(story.last.dispatches.map(\.planned.purpose) == [.query], "\(mode)")
            #expect(story.obligations.contains { $0.kind == .outcome && $0.step == .askProvider }, "\(mode)")
        }
    }

    @Test func `hyperswitch 14330: a lost completion owes a question`() throws {
        var story = Story()
        story.opening = .request
        try story.command(.create(Samples.terms(.sale, method: .wallet)))
        story.answer(
            .dispatch(.accepted),
            .order(ProviderOrder(id: "70", handover: ["md": "x"])),
            .operation(Samples.seen("70", .sale, .waiting(.threeDSecure)))
        )
        try story.command(.confirm(meaning: "unknown", code: "3ds", completion: ["$once": "x"]))
        story.answer(lost)
        #expect(story.openDispatches.last?.purpose == .query)
        #expect(story.obligations.contains { $0.kind == .outcome })
    }

    @Test func `hyperswitch 14330: an errand that nobody answered is owed`() throws {
        var story = try Story(.sale, 1999, Samples.capabilities(auxiliaryRequests: [.completeDelivery]))
        story.see(Samples.seen("s1", .sale))
        try story.command(.completeDelivery(details: nil))
        #expect(story.obligations.contains { $0.kind == .auxiliary && $0.owner == .provider && $0.deadline != nil })
        let sent = try #require(story.payment.auxiliaryRequests.last?.dispatch?.license)
        story.answer(sent, [lost])
        #expect(story.obligations.contains { $0.kind == .auxiliary && $0.owner == .merchant })
    }

    @Test func `hyperswitch 14330: the bills of a lost message are unknown and not forgotten`() {
        var chunk = Chunk(id: BillSamples.chunk)
        let lines = [BillSamples.line(1), BillSamples.line(2)]
        func apply(_ decision: ChunkDecision) {
            for event in decision.events { chunk.evolve(event) }
        }
        apply(chunk.decide(.begin(BillSamples.chunkHead(lines, mode: .serverToken)), at: BillSamples.at))
        for line in lines { apply(chunk.decide(.billAnswered(line.id, refusal: nil), at: BillSamples.at)) }
        chunk.evolve(.licensed(BillSamples.license(.operation(.sale)), credentials: 1))
        let silence = BillReading(.unanswered(reason: "timeout"))
        apply(chunk.observed(chunk.effect, 1, .unknown(reason: "timeout"), silence, at: BillSamples.at))
        #expect(chunk.ordered.map(\.outcome) == [.unknown, .unknown])
        #expect(chunk.report?.remaining == [])
    }
}
