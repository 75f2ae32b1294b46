import Kernel
import Payments
import ProviderKit

/// Requests that open a payment: the hosted page, a payment with the app's input or a saved card, a series' next charge.
enum OpeningRequest {
    /// The provider's page, where the payer enters everything that we must not see.
    static func hostedCheckout(_ dispatch: PlannedDispatch, _ purchase: Purchase) throws(PlanFailure) -> RequestTemplate
    {
        let details = purchase.details
        let filters: [(String, Json?)] = [
            ("exclude", filter(details.withoutProducts)), ("restrictTo", filter(details.onlyProducts)),
        ]
        let hasFilters = filters.contains { $0.1 != nil }
        let isRecurring = details.credential.map { $0.kind == .recurring }
        let page: Json = .compact([
            ("allowedNumberOfPaymentAttempts", .integer(purchase.settings.hostedAttempts)),
            ("isRecurring", isRecurring.map(Json.bool)), ("locale", details.locale.map(Json.string)),
            ("paymentProductFilters", hasFilters ? .compact(filters) : nil),
            ("returnUrl", .string(purchase.returnUrl(dispatch.paymentReference))), ("showResultPage", false),
            ("variant", purchase.settings.hostedVariant.map(Json.string)),
        ])
        var card: [(String, Json)] = [("authorizationMode", .string(purchase.authorizationMode))]
        card += details.credential?.members(reference: nil) ?? []
        if details.savesCredential { card.append(("tokenize", true)) }
        if let minutes = details.autoCaptureMinutes {
            card.append(("autoCapture", ["delayInMinutes": .integer(minutes)]))
        }
        card.append(("transactionChannel", .string(details.channel.rawValue)))
        let body: Json = .compact([
            ("cardPaymentMethodSpecificInput", .object(JsonObject(card))), ("feedbacks", purchase.feedbacks),
            ("hostedCheckoutSpecificInput", page), ("order", try purchase.order(dispatch)),
        ])
        return Call.template(
            "POST",
            "/hostedcheckouts",
            purchase.settings,
            body: body,
            key: purchase.settings.hostedCheckoutKey ? try key(dispatch) : nil,
            deadline: dispatch.deadline
        )
    }

    private static func filter(_ products: [Int64]) -> Json? {
        products.isEmpty ? nil : ["products": .array(products.map(Json.integer))]
    }

    /// A payment with the app's encrypted input, or with a saved card.
    static func payment(_ dispatch: PlannedDispatch, _ purchase: Purchase) throws(PlanFailure) -> RequestTemplate {
        let details = purchase.details
        if let product = details.mobileProduct { return try mobile(product, dispatch, purchase) }
        if let first = details.credential?.firstPayment { return try subsequent(first, dispatch, purchase) }
        var card: [(String, Json)] = [("authorizationMode", .string(purchase.authorizationMode))]
        if let id = details.productId { card.append(("paymentProductId", .integer(id))) }
        if let cobrand = details.cobrand { card.append(("cobrandSelectionIndicator", .string(cobrand.rawValue))) }
        if purchase.terms.method == .instrument { card.append(("token", try token(purchase))) }
        if details.savesCredential { card.append(("tokenize", true)) }
        card += details.credential?.members(reference: purchase.reference) ?? defaultCredential(purchase)
        if let minutes = details.autoCaptureMinutes {
            card.append(("autoCapture", ["delayInMinutes": .integer(minutes)]))
        }
        let returnUrl = purchase.returnUrl(dispatch.paymentReference)
        card.append(("returnUrl", .string(returnUrl)))
        card.append(("threeDSecure", details.threeDSecure.json(returnUrl: returnUrl)))
        card.append(("transactionChannel", .string(details.channel.rawValue)))
        let body: Json = .compact([
            ("cardPaymentMethodSpecificInput", .object(JsonObject(card))),
            ("encryptedCustomerInput", details.device?.customerInput), ("feedbacks", purchase.feedbacks),
            ("order", try purchase.order(dispatch)),
        ])
        return Call.template(
            "POST",
            "/payments",
            purchase.settings,
            body: body,
            key: try key(dispatch),
            meta: details.device?.metaInfo
        )
    }

    /// A payment by a device wallet: its data as it is, or inside the input that the app's kit encrypted.
    private static func mobile(_ product: Int64, _ dispatch: PlannedDispatch, _ purchase: Purchase)
        throws(PlanFailure) -> RequestTemplate
    {
        let details = purchase.details
        let secure = details.threeDSecure.json(returnUrl: purchase.returnUrl(dispatch.paymentReference), isWallet: true)
        let input: Json = .compact([
            ("authorizationMode", .string(purchase.authorizationMode)),
            ("encryptedPaymentData", details.wallet?.token), ("paymentProductId", .integer(product)),
            (
                "paymentProduct320SpecificInput",
                product == Details.WalletInput.Kind.googlePay.productId ? ["threeDSecure": secure] : nil
            ),
        ])
        let body: Json = .compact([
            ("encryptedCustomerInput", details.device?.customerInput), ("feedbacks", purchase.feedbacks),
            ("mobilePaymentMethodSpecificInput", input), ("order", try purchase.order(dispatch)),
        ])
        return Call.template(
            "POST",
            "/payments",
            purchase.settings,
            body: body,
            key: try key(dispatch),
            meta: details.device?.metaInfo
        )
    }

    /// A payer who is there and uses a saved card says so, unless the payment says something else.
    private static func defaultCredential(_ purchase: Purchase) -> [(String, Json)] {
        guard purchase.terms.method == .instrument else { return [] }
        return [
            ("unscheduledCardOnFileRequestor", "cardholderInitiated"),
            ("unscheduledCardOnFileSequenceIndicator", "subsequent"),
        ]
    }

    /// The next charge of a series, asked for as the successor of its first payment.
    private static func subsequent(
        _ first: String,
        _ dispatch: PlannedDispatch,
        _ purchase: Purchase
    ) throws(PlanFailure) -> RequestTemplate {
        let kind = purchase.details.credential?.kind == .recurring ? "Recurring" : "Unscheduled"
        let card: Json = .compact([
            ("authorizationMode", .string(purchase.authorizationMode)), ("subsequentType", .string(kind)),
            ("token", try token(purchase)), ("transactionChannel", .string(purchase.details.channel.rawValue)),
        ])
        let body: Json = .compact([
            ("feedbacks", purchase.feedbacks), ("order", try purchase.order(dispatch)),
            ("subsequentcardPaymentMethodSpecificInput", card),
        ])
        return Call.template(
            "POST",
            "/payments/\(first)/subsequent",
            purchase.settings,
            body: body,
            key: try key(dispatch)
        )
    }

    private static func token(_ purchase: Purchase) throws(PlanFailure) -> Json {
        guard let token = purchase.token else {
            throw PlanFailure(code: "instrument_missing", path: "instrument", detail: "there is no saved token")
        }
        return token
    }

    static func key(_ dispatch: PlannedDispatch) throws(PlanFailure) -> String {
        guard let key = dispatch.operationReference, Call.isKey(key) else {
            throw PlanFailure(code: "reference_missing", detail: "the operation is sent under its own reference")
        }
        return key
    }
}
