import Api
import EventSourcing
import Http
import Kernel
import Payments

/// Payment links of the harness, and other targets of routes that are open.
extension StatusTour {
    var isAboutLinks: Bool { route.pattern.hasPrefix("/v1/payment-links") }

    static let newLink: Json = ["amount": ["value": 1999, "currency": "EUR"]]

    var linkBody: Json? { route.id == "createPaymentLink" ? Self.newLink : nil }

    func link(key: String) async throws -> Answer {
        try await api.post("/v1/payment-links", Self.newLink, key: key).expect(201)
    }

    /// Further targets of a route that nobody shows a key to.
    func otherTargets() async throws -> [String] {
        switch route.id {
        case "browserReturn", "bankReturn":
            ["/v1/return/x/y/z", "/v1/return/1/x/4111111111111111", try await linkReturn()]
        case "problem": [Problem.page + "no_such_code", Problem.page + "4111111111111111"]
        default: []
        }
    }

    /// Where the provider sends a payer who came by a link.
    private func linkReturn() async throws -> String {
        let url = try await link(key: "tour-return").json["url"]?.text ?? ""
        let id = try await api.pay(String(url.split(separator: "/").last ?? ""))
        let payment = try await api.payment(id)
        return "/v1/return/\(api.merchant)/\(payment.account?.id.compact ?? "")/\(payment.attempt?.reference ?? "")"
    }
}

extension ApiHarness {
    /// Begins a payment on the page of a link, by a form of its own or by one that was given out before.
    func pay(_ token: String, form: PaymentLinkPage? = nil, method: String = "card", chosen: String? = nil) async throws
        -> PaymentId
    {
        let page: PaymentLinkPage
        if let form { page = form } else { page = try await api.linkPage(token, payment: nil) }
        return try await api.pay(
            by: token,
            PaymentLinkChoice(
                method: method,
                email: "ann@example.org",
                form: page.form.compact,
                seal: page.seal,
                language: "uk",
                chosen: chosen
            )
        )
    }
}
