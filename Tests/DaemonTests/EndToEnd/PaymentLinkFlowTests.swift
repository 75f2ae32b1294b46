import Http
import Kernel
import Testing

/// Links are paid through a real daemon by payers of whom nothing is known but that they have the address.
@Suite(.timeLimit(.minutes(4)), .serialized)
struct PaymentLinkFlowTests {
    @Test func `a payer chooses, is declined, tries again, pays, and comes back to a page that says so`() async throws {
        try await Stage.run("linkpaid") { stage, daemon in
            let (id, url) = try await stage.link(
                daemon,
                ["description": "Two tickets", "reference": "order-9", "returnUrl": "https://shop.example/thanks"]
            )
            // Two tabs, opened before anything was begun.
            let (page, tab) = (try await stage.linkPage(url), try await stage.linkPage(url))
            #expect(page.methods == ["card"] && page.text.contains("Two tickets") && page.text.contains("19.99"))
            async let once = stage.choose("card", on: page)
            async let twice = stage.choose("card", on: page)
            let answers = try await [once, twice]
            #expect(answers[0].status == 303 && answers[0].headers["Location"] == answers[1].headers["Location"])
            let declined = try await stage.provider(daemon, after: answers[0])
            #expect(declined.hasPrefix(stage.sandbox))
            let other = try await stage.choose("card", on: tab)
            #expect(other.headers["Location"] == answers[0].headers["Location"], "another tab begins no other payment")
            try await stage.press("decline", at: declined)
            let again = try await Self.wait(stage, url, for: "How do you want to pay?")
            #expect(again.text.contains("took no money"))

            let provider = try await stage.provider(daemon, after: try await stage.choose("card", on: again))
            try await stage.press("approve", at: provider)
            let way = try #require(HttpRequest.Head(method: .get, target: provider).query)
            let back = try #require(way.first { $0.name == "merchant_return_url" }?.value)
            let returned = try await stage.send(.get, back, HttpHeaders(), [])
            let location = try #require(returned.headers["Location"])
            #expect(returned.status == 303 && location.hasPrefix("/pay/") && location.contains("payment=pay_"))
            let paid = try await Self.wait(stage, daemon.address + location, for: "Paid")
            #expect(paid.text.contains("href=\"https://shop.example/thanks\"") && paid.refresh.isEmpty)
            try await Self.isPaidOnce(stage, daemon, id)
        }
    }

    /// The link is paid by its second payment, which tells the shop so wherever it shows.
    private static func isPaidOnce(_ stage: Stage, _ daemon: DaemonProcess, _ id: String) async throws {
        let link = try await stage.call(daemon, .get, "/v1/payment-links/\(id)")
        let payments = link["payments"]?.items ?? []
        #expect(link["status"] == "paid" && payments.map { $0["status"] } == ["failed", "captured"])
        let payment = try #require(payments.last?["id"]?.text)
        let shown = try await stage.payment(daemon, payment)
        #expect(shown["paymentLink"]?.text == id && shown["reference"] == "order-9")
        let ledger = try await stage.ledger(try await stage.providerName(daemon, payment))
        #expect(ledger == ["charge 1999"])
        let told = try await stage.events(daemon, "&resource=\(payment)", until: "payment.captured").events
        #expect(told.allSatisfy { $0.at("data", "paymentLink")?.text == id }, "each event names the link")
        try await stage.verifyReplay()
    }

    /// Looks again, as the page does by itself, until its heading is this one.
    private static func wait(_ stage: Stage, _ url: String, for heading: String) async throws -> LinkedPage {
        try await stage.until("the page says '\(heading)'") {
            let page = try await stage.linkPage(url)
            return page.heading == heading ? .done(page) : .notYet("\(page.status) \(page.heading)")
        }
    }

    @Test func `the payer of a rouble link chooses among what the accounts serve`() async throws {
        try await Stage.run("linkmethods") { stage, daemon in
            try await stage.addSberPay(daemon, "ecom")
            try await stage.addDolyame(daemon)
            let order: Json = ["accounts": ["dolyame", .string(Stage.sberPayAccount("ecom"))]]
            try await stage.call(daemon, .put, "/v1/routing", order, key: "roubles")
            let more: Json = ["amount": Stage.roubles(700_000), "mode": "authorize", "description": "Кроссовки"]
            let (id, url) = try await stage.link(daemon, more)
            let page = try await stage.linkPage(url)
            #expect(page.methods == ["sberpay", "instalments"], "\(page.methods)")
            let provider = try await stage.provider(daemon, after: try await stage.choose("instalments", on: page))
            try await stage.choose("approve", at: provider)
            _ = try await Self.wait(stage, url, for: "Paid")
            let link = try await stage.call(daemon, .get, "/v1/payment-links/\(id)")
            let payment = try #require(link["payments"]?.items?.first?["id"]?.text)
            #expect(try await stage.payment(daemon, payment).at("account", "name") == "dolyame")

            let (_, second) = try await stage.link(daemon, more)
            let chosen = try await stage.choose("sberpay", on: try await stage.linkPage(second))
            #expect(try await stage.provider(daemon, after: chosen).contains("/sberpay"))
            let refused = try await stage.exchange(
                daemon,
                .post,
                "/v1/payment-links",
                ["amount": Stage.roubles(700_000), "methods": ["card"]],
                key: "card"
            )
            #expect(refused.status == 422)
        }
    }

    @Test func `the page speaks the reader's language, as long as nobody chose another`() async throws {
        try await Stage.run("linklanguages") { stage, daemon in
            let (_, url) = try await stage.link(daemon, ["language": "fr", "payee": "Чай & кава"])
            for (field, language, heading, money) in [
                ("en-GB", "en", "How do you want to pay?", "19.99"),
                ("uk-UA,uk;q=0.9,en;q=0.5", "uk", "Як ви хочете заплатити?", "19,99"),
                ("ru", "ru", "Как вы хотите заплатить?", "19,99"), ("de", "fr", "Comment voulez-vous payer ?", "19,99"),
            ] {
                let page = try await stage.linkPage(url, [("Accept-Language", field)])
                #expect(page.heading == heading && page.text.contains("<html lang=\"\(language)\">"), "\(page.heading)")
                #expect(page.text.contains(money) && page.text.contains("Чай &amp; кава"))
            }
            let chosen = try await stage.linkPage(url + "?lang=uk", [("Accept-Language", "en")])
            #expect(chosen.heading == "Як ви хочете заплатити?" && chosen.field("lang") == "uk")
            let wrong = try await stage.choose("card", on: chosen, email: "nobody")
            #expect(wrong.status == 422)
            #expect(String(decoding: wrong.body, as: UTF8.self).contains("перевірте адресу"))

            // What was chosen lasts on the way to the provider and back.
            let provider = try await stage.provider(daemon, after: try await stage.choose("card", on: chosen))
            try await stage.press("approve", at: provider)
            let way = try #require(HttpRequest.Head(method: .get, target: provider).query)
            let back = try #require(way.first { $0.name == "merchant_return_url" }?.value)
            let location = try #require(try await stage.send(.get, back, HttpHeaders(), []).headers["Location"])
            let english = [("Accept-Language", "en")]
            let paid = try await stage.until("the page says that it is paid") {
                let page = try await stage.linkPage(daemon.address + location, english)
                return page.heading == "Сплачено" ? .done(page) : .notYet("\(page.status) \(page.heading)")
            }
            #expect(paid.text.contains("<html lang=\"uk\">"))

            // A payer whose browser names none of ours reads the provider's page in the link's own language.
            let (_, french) = try await stage.link(daemon, ["language": "fr"])
            let page = try await stage.linkPage(french, [("Accept-Language", "de")])
            let german = [("Accept-Language", "de"), ("Sec-Fetch-Site", "same-origin")]
            let going = try await stage.choose("card", on: page, headers: german)
            let theirs = HttpRequest.Head(method: .get, target: try await stage.provider(daemon, after: going)).query
            #expect(theirs?.first { $0.name == "language_code" }?.value == "fr")
        }
    }
}
