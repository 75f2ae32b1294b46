import Kernel
import Payments
import ProviderKit

/// Requests that open a payment: the hosted page, a payment with the app's input or a saved card, a series' next charge.
enum OpeningRequest {
    /// The provider's page, where the payer enters everything that we must not see.
    static func hostedCheckout(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        let details = order.details
        let filters: [(String, Json?)] = [
            ("exclude", filter(details.withoutProducts)), ("restrictTo", filter(details.onlyProducts)),
        ]
        let hasFilters = filters.contains { $0.1 != nil }
        let isRecurring = details.credential.map { $0.kind == .recurring }
        let page: Json = .compact([
            ("allowedNumberOfPaymentAttempts", .integer(order.settings.hostedAttempts)),
            ("isRecurring", isRecurring.map(Json.bool)), ("locale", details.locale.map(Json.string)),
            ("paymentProductFilters", hasFilters ? .compact(filters) : nil),
            ("returnUrl", .string(order.returnUrl(dispatch.paymentReference))), ("showResultPage", false),
            ("variant", order.settings.hostedVariant.map(Json.string)),
        ])
        var card: [(String, Json)] = [("authorizationMode", .string(order.authorizationMode))]
        card += details.credential?.members(reference: nil) ?? []
        if details.savesCredential { card.append(("tokenize", true)) }
        if let minutes = details.autoCaptureMinutes {
            card.append(("autoCapture", ["delayInMinutes": .integer(minutes)]))
        }
        card.append(("transactionChannel", .string(details.channel.rawValue)))
        let body: Json = .compact([
            ("cardPaymentMethodSpecificInput", .object(JsonObject(card))), ("feedbacks", order.feedbacks),
            ("hostedCheckoutSpecificInput", page), ("order", try order.order(dispatch)),
        ])
        return Call.template(
            "POST",
            "/hostedcheckouts",
            order.settings,
            body: body,
            key: order.settings.hostedCheckoutKey ? try key(dispatch) : nil,
            deadline: dispatch.deadline
        )
    }

    private static func filter(_ products: [Int64]) -> Json? {
        products.isEmpty ? nil : ["products": .array(products.map(Json.integer))]
    }

    /// A payment with the app's encrypted input, or with a saved card.
    static func payment(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        let details = order.details
        if let product = details.mobileProduct { return try mobile(product, dispatch, order) }
        if let first = details.credential?.firstPayment { return try subsequent(first, dispatch, order) }
        var card: [(String, Json)] = [("authorizationMode", .string(order.authorizationMode))]
        if let id = details.productId { card.append(("paymentProductId", .integer(id))) }
        if let cobrand = details.cobrand { card.append(("cobrandSelectionIndicator", .string(cobrand.rawValue))) }
        if order.terms.method == .instrument { card.append(("token", try token(order))) }
        if details.savesCredential { card.append(("tokenize", true)) }
        card += details.credential?.members(reference: order.reference) ?? defaultCredential(order)
        if let minutes = details.autoCaptureMinutes {
            card.append(("autoCapture", ["delayInMinutes": .integer(minutes)]))
        }
        let returnUrl = order.returnUrl(dispatch.paymentReference)
        card.append(("returnUrl", .string(returnUrl)))
        card.append(("threeDSecure", details.threeDSecure.json(returnUrl: returnUrl)))
        card.append(("transactionChannel", .string(details.channel.rawValue)))
        let body: Json = .compact([
            ("cardPaymentMethodSpecificInput", .object(JsonObject(card))),
            ("encryptedCustomerInput", details.device?.customerInput), ("feedbacks", order.feedbacks),
            ("order", try order.order(dispatch)),
        ])
        return Call.template(
            "POST",
            "/payments",
            order.settings,
            body: body,
            key: try key(dispatch),
            meta: details.device?.metaInfo
        )
    }

    /// A payment by a device wallet: its data as it is, or inside the input that the app's kit encrypted.
    private static func mobile(_ product: Int64, _ dispatch: PlannedDispatch, _ order: Order)
        throws(PlanFailure) -> RequestTemplate
    {
        let details = order.details
        let secure = details.threeDSecure.json(returnUrl: order.returnUrl(dispatch.paymentReference), isWallet: true)
        let input: Json = .compact([
            ("authorizationMode", .string(order.authorizationMode)),
            ("encryptedPaymentData", details.wallet?.token), ("paymentProductId", .integer(product)),
            (
                "paymentProduct320SpecificInput",
                product == Details.WalletInput.Kind.googlePay.productId ? ["threeDSecure": secure] : nil
            ),
        ])
        let body: Json = .compact([
            ("encryptedCustomerInput", details.device?.customerInput), ("feedbacks", order.feedbacks),
            ("mobilePaymentMethodSpecificInput", input), ("order", try order.order(dispatch)),
        ])
        return Call.template(
            "POST",
            "/payments",
            order.settings,
            body: body,
            key: try key(dispatch),
            meta: details.device?.metaInfo
        )
    }

    /// A payer who is there and uses a saved card says so, unless the payment says something else.
    private static func defaultCredential(_ order: Order) -> [(String, Json)] {
        guard order.terms.method == .instrument else { return [] }
        return [
            ("unscheduledCardOnFileRequestor", "cardholderInitiated"),
            ("unscheduledCardOnFileSequenceIndicator", "subsequent"),
        ]
    }

    /// The next charge of a series, asked for as the successor of its first payment.
    private static func subsequent(
        _ first: String,
        _ dispatch: PlannedDispatch,
        _ order: Order
    ) throws(PlanFailure) -> RequestTemplate {
        let kind = order.details.credential?.kind == .recurring ? "Recurring" : "Unscheduled"
        let card: Json = .compact([
            ("authorizationMode", .string(order.authorizationMode)), ("subsequentType", .string(kind)),
            ("token", try token(order)), ("transactionChannel", .string(order.details.channel.rawValue)),
        ])
        let body: Json = .compact([
            ("feedbacks", order.feedbacks), ("order", try order.order(dispatch)),
            ("subsequentcardPaymentMethodSpecificInput", card),
        ])
        return Call.template(
            "POST",
            "/payments/\(first)/subsequent",
            order.settings,
            body: body,
            key: try key(dispatch)
        )
    }

    private static func token(_ order: Order) throws(PlanFailure) -> Json {
        guard let token = order.token else { throw PlanFailure.instrumentMissing("there is no saved token") }
        return token
    }

    static func key(_ dispatch: PlannedDispatch) throws(PlanFailure) -> String {
        guard let key = dispatch.operationReference, Call.isKey(key) else {
            throw PlanFailure.referenceMissing("the operation is sent under its own reference")
        }
        return key
    }
}
