import Kernel
import Payments
import ProviderKit

/// What the payer's device gets: the provider's form, or the object that its SDK is filled from.
package enum Handover {
    static let linkSigning = "dolyame.link"
    static let sdkSigning = "dolyame.sdk"

    static func template(_ dispatch: PlannedDispatch, _ purchase: Purchase) throws(PlanFailure) -> RequestTemplate {
        try purchase.check()
        if purchase.terms.method == .sdk {
            if let fault = OrderId.fault(dispatch.paymentReference, atMost: purchase.settings.orderIdMax) {
                throw PlanFailure(code: "reference_invalid", detail: fault.rawValue)
            }
            return RequestTemplate(
                method: "GET",
                url: purchase.settings.baseUrl,
                content: try sdkObject(dispatch, purchase),
                signing: sdkSigning
            )
        }
        guard let link = dispatch.order?.handover["link"] else {
            throw PlanFailure(code: "order_missing", detail: "the provider has opened no order yet")
        }
        return RequestTemplate(
            method: "GET",
            url: purchase.settings.baseUrl,
            content: ["link": link],
            signing: linkSigning
        )
    }

    /// The SDK opens the order itself, so it gets all that the order is made of.
    ///
    /// The customer's id keeps a payer logged in: it is the merchant's, and for an anonymous payer a new one per order.
    private static func sdkObject(_ dispatch: PlannedDispatch, _ purchase: Purchase) throws(PlanFailure) -> Json {
        let settings = purchase.settings
        let bill = try purchase.bill()
        let reference = dispatch.paymentReference
        var customer: [(String, Json)] = [("id", .string(purchase.terms.customer ?? "anonymous-\(reference)"))]
        for field in purchase.details.payer { customer.append((field.name.sdk, field.value)) }
        let screen = purchase.details.errorDebugScreen.map(Json.bool)
        let names = settings.sdkCustomerName.map { [$0] } ?? DolyameSettings.SdkCustomerName.allCases
        let payer = names.map { ($0.rawValue, Json.object(JsonObject(customer)) as Json?) }
        let members: [(String, Json?)] = [
            (
                "partner",
                .compact([
                    ("id", settings.partnerId.map(Json.string)),
                    (
                        "notificationUrl",
                        settings.notificationUrlPerOrder ? .string(purchase.account.notificationUrl) : nil
                    ), ("demoFlow", .bool(settings.demoFlow)),
                    ("showErrorScreenDebugInformation", screen),
                ])
            ),
            (
                "order",
                [
                    "id": .string(reference), "amount": Rubles.number(bill.amount),
                    "prepaidAmount": Rubles.number(bill.prepaid ?? 0), "mcc": .integer(settings.mcc),
                    "items": .array(bill.basket.positions.map(sdkItem)),
                ]
            ), ("enableCallKitUsage", .bool(purchase.details.callKit)), ("errorDebugScreen", screen),
        ]
        return .compact(members + payer)
    }

    private static func sdkItem(_ position: Position) -> Json {
        .compact([
            ("name", .string(position.name)), ("quantity", .integer(position.quantity)),
            ("price", Rubles.number(position.price)), ("sku", position.sku.map(Json.string)),
        ])
    }

    /// Whether a demo order's end reaches us: it goes to its own address or nowhere.
    package static func isNotified(isDemo: Bool, ownUrl: String?, hasRegisteredUrl: Bool) -> Bool {
        ownUrl != nil || (!isDemo && hasRegisteredUrl)
    }
}
