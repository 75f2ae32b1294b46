import Http
import Kernel
import Testing

/// Every member of what is posted about payment links has an effect that is shown.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct PaymentLinkMembersTests {
    @Test func `a link keeps every member, and its payment has what a payment has of them`() async throws {
        try await Stage.run("linkmembers") { stage, daemon in
            let body: Json = [
                "amount": Stage.euros(2499), "mode": "authorize", "uses": "once", "payee": "Tea house",
                "description": "Two tins", "reference": "order-1", "customer": "customer-7", "country": "DE",
                "accountMode": "test", "methods": ["card"], "returnUrl": "https://shop.example/thanks",
                "language": "uk", "expiresAt": "2099-01-01T00:00:00.000000Z", "metadata": ["channel": "mail"],
            ]
            let (id, url) = try await stage.link(daemon, body)
            let made = try await stage.call(daemon, .get, "/v1/payment-links/\(id)")
            for member in body.members?.members ?? [] { #expect(made[member.name] == member.value, "\(member.name)") }
            try await stage.holdEvery(daemon, "CreatePaymentLink", [body])

            let page = try await stage.linkPage(url)
            #expect(page.text.contains("Tea house") && page.text.contains("Two tins"))
            #expect(page.text.contains("<html lang=\"uk\">") && page.text.contains("2099"))
            _ = try await stage.provider(daemon, after: try await stage.choose("card", on: page))
            let link = try await stage.call(daemon, .get, "/v1/payment-links/\(id)")
            let payment = try await stage.payment(daemon, try #require(link["payments"]?.items?.first?["id"]?.text))
            for name in ["amount", "mode", "description", "reference", "customer", "country", "metadata"] {
                #expect(payment[name] == body[name], "\(name)")
            }
            #expect(payment["paymentLink"]?.text == id && payment.at("account", "mode") == "test")
            let off = try await stage.call(daemon, .post, "/v1/payment-links/\(id)/deactivate", [:], key: "off")
            #expect(off["deactivatedAt"] != nil && off["status"] == "pending", "what has begun goes on")

            let (many, _) = try await stage.link(daemon, ["uses": "many"])
            let shown = try await stage.call(daemon, .get, "/v1/payment-links/\(many)")
            #expect(shown["uses"] == "many" && shown["payments"] == nil && shown["payee"] == "demo")
        }
    }

    @Test func `the command makes, lists, shows and ends a link`() async throws {
        try await Stage.run("linkcommand") { stage, daemon in
            let printed = try await stage.tool(
                daemon,
                ["links", "create", "19.99", "EUR", "--description", "Tea", "--uses", "many", "--json"]
            )
            let made = try Json(text: printed.split(separator: "\n").first.map(String.init) ?? "")
            let id = try #require(made["id"]?.text)
            #expect(made["amount"] == Stage.euros(1999) && made["description"] == "Tea" && made["uses"] == "many")
            let list = try await stage.tool(daemon, ["links"])
            #expect(list.contains(id) && list.contains("open") && list.contains("/pay/"))
            #expect(try await stage.tool(daemon, ["links", "show", id]).contains("Tea"))
            #expect(try await stage.tool(daemon, ["links", "deactivate", id]).contains("deactivated"))
            #expect(try await stage.tool(daemon, ["links", "list"]).contains("deactivated"))
        }
    }
}
