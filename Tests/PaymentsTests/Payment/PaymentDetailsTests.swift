import Kernel
import Payments
import Testing

/// What a command says for the adapter alone, and hints that nobody can prove.
struct PaymentDetailsTests {
    @Test func `details of a capture reach its message and are known to what comes after`() throws {
        var story = try Story(.authorize, 1999, Samples.capabilities())
        story.see(Samples.seen("a1", .authorize))
        let items: Json = ["items": ["shoes"]]
        try story.command(.capture(amount: .cents(1500), reason: nil, details: items))
        #expect(story.last.dispatches.first?.planned.details == items)
        #expect(story.last.dispatches.first?.planned.earlier == [])
        story.see(Samples.seen("c1", .capture, .succeeded, 1500))
        try story.command(.refund(amount: .cents(300), capture: nil, reason: nil, details: ["items": ["laces"]]))
        let refund = story.last.dispatches.first?.planned
        #expect(refund?.earlier == [EarlierOperation(kind: .capture, amount: .cents(1500), details: items)])
    }

    @Test func `details survive being stored`() throws {
        for command in [
            PaymentCommand.capture(amount: nil, reason: "r", details: ["a": 1]),
            .refund(amount: nil, capture: nil, reason: nil, details: ["b": []]), .capture(amount: nil, reason: nil),
        ] {
            #expect(try PaymentCommand(name: command.name, try Json(command.json.canonical)) == command)
        }
    }

    @Test func `a hint about something else asks nothing and an unknown word in it is reported`() throws {
        var story = try Story(.sale)
        let unknown = Fact.unrecognised(what: "demo", value: "true")
        story.observe(.contradiction(.identity, detail: "another order"), unknown, trust: .hint)
        #expect(story.last.dispatches.isEmpty)
        #expect(story.payment.unrecognised.contains("demo=true"))
        #expect(story.payment.status == .requiresAction)
        story.wait(60)
        story.observe(.attempt(.closed(.expired)), trust: .hint)
        #expect(story.last.dispatches.map(\.planned.purpose) == [.query])
        #expect(story.payment.status == .requiresAction)
    }

    @Test func `a hint that can't be true of what is known is news, unless it is about something else`() throws {
        for kind in ContradictionKind.allCases {
            var story = try Story(.sale)
            story.observe(.contradiction(kind, detail: "the provider moved from released to held"), trust: .hint)
            #expect(story.last.events.isEmpty, "\(kind): nothing of it is proved")
            #expect(story.last.dispatches.map(\.planned.purpose) == (kind == .identity ? [] : [.query]), "\(kind)")
        }
    }

    @Test func `an errand is asked for once, and what may not have been done is owed`() throws {
        let can = Samples.capabilities(auxiliaryRequests: [.completeDelivery])
        var story = try Story(.sale, 1999, can)
        let deliver = PaymentCommand.completeDelivery(details: nil)
        #expect(throws: Rejection.self) { try story.command(deliver) }
        story.see(Samples.seen("s1", .sale))
        try story.command(deliver)
        #expect(story.last.dispatches.map(\.planned.purpose) == [.auxiliary(.completeDelivery)])
        #expect(throws: Rejection.self) { try story.command(deliver) }
        let sent = try #require(story.payment.auxiliaryRequests.last?.dispatch?.license)
        story.answer(sent, [.dispatch(.unknown(reason: "no answer"))])
        #expect(story.obligations.contains { $0.kind == .auxiliary && $0.step == .askAgain && $0.owner == .merchant })
        story.wait(60)
        try story.command(deliver)
        let again = try #require(story.payment.auxiliaryRequests.last?.dispatch?.license)
        story.answer(again, [.dispatch(.accepted)])
        #expect(story.payment.auxiliaryRequests.map(\.state) == [.unknown, .done])
        #expect(!story.obligations.contains { $0.kind == .auxiliary })
        try story.command(deliver)
        #expect(story.last.events.isEmpty)
        var other = try Story(.sale)
        other.see(Samples.seen("s1", .sale))
        #expect(throws: Rejection.self) { try other.command(deliver) }
    }
}
