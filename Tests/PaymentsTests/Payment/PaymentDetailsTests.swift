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
}
