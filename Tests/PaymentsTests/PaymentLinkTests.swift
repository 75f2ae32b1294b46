import EventSourcing
import Kernel
import Payments
import TestKit
import Testing

extension EventSample {
    /// Events of payment links.
    static let links: [EventSample] = [
        link("paymentLink.created.v1", .created(LinkTerms.plain, by: "key:shop", at: Samples.noon)),
        link("paymentLink.created.v1.full", .created(LinkTerms.full, by: "key:shop", at: Samples.noon)),
        link("paymentLink.deactivated.v1", .deactivated(by: "key:shop", at: Samples.noon)),
    ]

    private static func link(_ name: String, _ event: PaymentLinkEvent) -> EventSample {
        EventSample(name: name, draft: event.draft) { (draft) throws(CodecFailure) in
            let read = try PaymentLinkEvent(type: draft.type, data: draft.data)
            guard read == event else { throw CodecFailure("value of \(name)") }
            return read.draft
        }
    }
}

private enum LinkTerms {
    static let plain = PaymentLinkTerms(amount: .cents(1999), mode: .sale, uses: .once, payee: "Shop")

    static let full = PaymentLinkTerms(
        amount: .cents(1999),
        mode: .authorize,
        uses: .many,
        payee: "Чайна «Лист»",
        description: "Two tickets",
        reference: "order-1",
        customer: "c-1",
        country: "UA",
        accountMode: .test,
        methods: [.card, .instalments],
        returnUrl: "https://shop.example/thanks",
        language: .uk,
        expiresAt: Samples.noon.adding(.seconds(60)),
        metadata: ["shop": "kyiv"]
    )

    static func link(_ events: [PaymentLinkEvent] = []) -> PaymentLink {
        PaymentLink(id: PaymentLinkId(Samples.uuid(9))).after(events)
    }
}

/// Payment links: what a command leads to.
struct PaymentLinkTests {
    private func decide(_ link: PaymentLink, _ command: PaymentLinkCommand, at seconds: Int64 = 0) throws(Rejection)
        -> PaymentLink
    { link.after(try link.decide(command, Samples.context(seconds))) }

    @Test func `a link is made once, and its terms stay`() throws {
        let made = try decide(LinkTerms.link(), .create(LinkTerms.full))
        #expect(made.terms == LinkTerms.full && made.createdAt == Samples.noon && made.deactivatedAt == nil)
        #expect(refusal { () throws(Rejection) in try decide(made, .create(LinkTerms.plain)) } == "payment_link_exists")
    }

    @Test func `a link over nothing, or one that has ended before it begins, is refused`() {
        let free = PaymentLinkTerms(amount: .cents(0), mode: .sale, uses: .once, payee: "Shop")
        let none = LinkTerms.link()
        #expect(refusal { () throws(Rejection) in try decide(none, .create(free)) } == "amount_not_positive")
        let late = refusal { () throws(Rejection) in try decide(none, .create(LinkTerms.full), at: 60) }
        #expect(late == "already_expired")
    }

    @Test func `a link ends once, and one that is not there never does`() throws {
        let made = try decide(LinkTerms.link(), .create(LinkTerms.plain))
        let ended = try decide(made, .deactivate, at: 5)
        #expect(ended.deactivatedAt == Samples.noon.adding(.seconds(5)))
        #expect(try ended.decide(.deactivate, Samples.context()).isEmpty)
        #expect(refusal { () throws(Rejection) in try decide(LinkTerms.link(), .deactivate) } == "payment_link_unknown")
    }

    @Test func `each try has one payment, whoever begins it, and each form of a link of many uses its own`() {
        let link = LinkTerms.link()
        #expect(link.payment(1) == LinkTerms.link().payment(1) && link.payment(1) != link.payment(2))
        #expect(link.payment(of: Samples.uuid(1)) != link.payment(of: Samples.uuid(2)))
        #expect(PaymentLink(id: PaymentLinkId(Samples.uuid(8))).payment(1) != link.payment(1))
    }

    @Test func `commands survive their stored form`() throws {
        let commands: [PaymentLinkCommand] = [.create(LinkTerms.plain), .create(LinkTerms.full), .deactivate]
        for command in commands { #expect(try PaymentLinkCommand(name: command.name, command.json) == command) }
        #expect(Set(commands.map(\.name)).count == PaymentLinkCommand.Name.allCases.count)
    }
}
