import Kernel
import Payments
import ProviderKit

/// The payer's part of an order that was opened: a page, a link into the bank's app, or the SDK's object.
package enum Handover {
    /// Names of the parts that are kept of the gateway's answer.
    package enum Name {
        package static let page = "formUrl"
        package static let link = "deepLink"
        package static let invoice = "bankInvoiceId"
        package static let inactive = "sberPayInactive"
    }

    /// Whether the payer goes on only by what the registration's answer told.
    ///
    /// A push has reached its payer without an address, and the SDK of the newer gateway goes on with the order's id.
    static func needsAddress(_ terms: PaymentTerms, _ settings: SberPaySettings) -> Bool {
        guard let details = try? Details(terms.details), !details.app.isPush else { return false }
        return switch terms.method {
        case .hosted, .wallet: true
        case .instrument: !settings.unattended
        case .sdk: settings.dialect == .legacy
        }
    }

    static func template(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        guard let opened = dispatch.order else {
            throw PlanFailure.orderMissing("the gateway has not opened its order yet")
        }
        let page = opened.handover[Name.page]
        switch order.terms.method {
        case .hosted, .instrument: return try link(page, order)
        case .wallet: return try link(opened.handover[Name.link] ?? page, order)
        case .sdk: return try sdk(opened, dispatch, order)
        }
    }

    private static func link(_ address: Json?, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        // A registration whose answer was lost left an order without a link; the gateway never tells it again.
        guard let address else {
            throw PlanFailure(code: "link_lost", detail: "the answer that held the address was lost")
        }
        return RequestTemplate(
            method: "GET",
            url: order.settings.baseUrl,
            content: .object(JsonObject([("url", address)])),
            signing: Signing.link.text
        )
    }

    private static func sdk(
        _ opened: ProviderOrder,
        _ dispatch: PlannedDispatch,
        _ order: Order
    ) throws(PlanFailure) -> RequestTemplate {
        let invoice: Json
        if let told = opened.handover[Name.invoice] {
            invoice = told
        } else if order.settings.dialect == .ecom {
            // There the invoice is the order's id, for web orders too.
            invoice = .string(opened.id)
        } else {
            throw PlanFailure(code: "invoice_missing", detail: "the gateway named no invoice for its app")
        }
        let looks = order.details.presentation.sdkMethod
        return RequestTemplate(
            method: "GET",
            url: order.settings.baseUrl,
            content: .compact([
                ("getPaymentToken", tokenRequest(invoice, dispatch, order)),
                ("pay", ["orderId": invoice]),
                ("deepLink", opened.handover[Name.link]), ("formUrl", opened.handover[Name.page]),
                ("sberPayAvailable", .bool(opened.handover[Name.inactive] == nil)),
                ("presentation", looks.map { ["sdkMethod": .string($0)] }),
            ]),
            signing: Signing.sdk.text
        )
    }

    /// One of the SDK's two forms; the key of the SDK is filled in when it is rendered.
    private static func tokenRequest(_ invoice: Json, _ dispatch: PlannedDispatch, _ order: Order) -> Json {
        let settings = order.settings
        let frame: [(String, Json?)] = [
            ("merchantLogin", settings.merchantLogin.map(Json.string)),
            ("redirectUri", settings.shop.redirectUri.map(Json.string)),
        ]
        switch order.details.app.form {
        case .order: return .compact([("orderId", invoice)] + frame)
        case .purchase:
            let recurrent = order.details.recurrent
            return .compact(
                [
                    ("bankInvoiceId", invoice), ("orderNumber", .string(dispatch.paymentReference)),
                    ("clientId", order.terms.customer.map(Json.string)),
                    ("clientName", settings.shop.clientName.map(Json.string)),
                    ("amount", order.terms.amount.map { .integer($0.minor) }), ("currency", 643),
                    ("mobilePhone", order.details.phone),
                    ("description", order.terms.description.map(Json.string)),
                    ("language", order.details.language.map { .string($0.uppercased()) }),
                    ("recurrentEnabled", .bool(recurrent != nil)),
                    ("recurrentExpiry", recurrent?.expiry.map(Json.string)),
                    ("recurrentFrequency", .integer(recurrent?.frequencyDays ?? 0)),
                ] + frame
            )
        }
    }

    static func render(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> RenderedHandover {
        guard let signing = Signing(template.signing) else { throw FinishFailure.malformedTemplate("unknown signing") }
        guard let content = try template.content.opened(with: materials).members else {
            throw FinishFailure.malformedTemplate("no object")
        }
        switch signing {
        case .request: throw FinishFailure.malformedTemplate("not a handover")
        case .link:
            guard let url = content["url"]?.text else { throw FinishFailure.malformedTemplate("no address") }
            return .redirect(url: url)
        case .sdk: return .parameters(try object(content, apiKey: try materials.text(SberPayAdapter.sdkKeyName)))
        }
    }

    /// Fills the SDK's key in and holds the finished object against the documented limits.
    static func object(_ content: JsonObject, apiKey: String) throws(FinishFailure) -> Json {
        var content = content
        guard var request = content["getPaymentToken"]?.members else {
            throw .malformedTemplate("no getPaymentToken member")
        }
        request["apiKey"] = .string(apiKey)
        if let phone = request["mobilePhone"]?.text {
            // The SDK takes bare digits; a number that it would refuse is left for the payer to type.
            let digits = Json.string(String(phone.drop { $0 == "+" }))
            request["mobilePhone"] = FieldRules.isValid("mobilePhone", digits, .paymentToken) == true ? digits : nil
        }
        let violations = FieldRules.violations(.object(request), .paymentToken)
        guard violations.isEmpty else { throw .malformedTemplate("\(violations.sorted().joined(separator: ", "))") }
        content["getPaymentToken"] = .object(request)
        return .object(content)
    }
}
