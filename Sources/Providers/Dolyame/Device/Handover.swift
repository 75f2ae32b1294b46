import Http
import Kernel
import Payments
import ProviderKit

/// The payer's part: the address of the provider's form, or the object that its SDK is filled from.
package enum Handover {
    static let linkSigning = "dolyame.link"
    static let sdkSigning = "dolyame.sdk"

    static func template(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        try order.check()
        if order.terms.method == .sdk {
            if let fault = OrderId.fault(dispatch.paymentReference, atMost: order.settings.orderIdMax) {
                throw PlanFailure.referenceInvalid(fault.rawValue)
            }
            return RequestTemplate(
                method: "GET",
                url: order.settings.baseUrl,
                content: try sdkObject(dispatch, order),
                signing: sdkSigning
            )
        }
        guard let link = dispatch.order?.handover["link"] else {
            throw PlanFailure.orderMissing("the provider has opened no order yet")
        }
        return RequestTemplate(
            method: "GET",
            url: order.settings.baseUrl,
            content: ["link": link],
            signing: linkSigning
        )
    }

    /// Fills a handover for the payer's device.
    static func render(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> RenderedHandover {
        switch template.signing {
        case linkSigning:
            guard let link = template.content["link"] else { throw FinishFailure.malformedTemplate("no link") }
            guard let text = link.text ?? materials.open(link)?.text else { throw FinishFailure.erased(path: "link") }
            guard WebAddress.isAbsolute(text) else { throw FinishFailure.malformedTemplate("the link is no address") }
            return .redirect(url: text)
        case sdkSigning:
            guard var object = template.content.members else { throw FinishFailure.malformedTemplate("no object") }
            for name in [DolyameSettings.SdkCustomerName.customer, .customerInfo].map(\.rawValue) {
                if let customer = object[name] { object[name] = try Finishing.payer(customer, materials) { $0.sdk } }
            }
            return .parameters(.object(object))
        default: throw FinishFailure.malformedTemplate("not a handover")
        }
    }

    /// The SDK opens the order itself, so it gets all that the order is made of.
    ///
    /// The customer's id keeps a payer logged in: it is the merchant's, and for an anonymous payer a new one per order.
    private static func sdkObject(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> Json {
        let settings = order.settings
        let bill = try order.bill()
        let reference = dispatch.paymentReference
        var customer: [(String, Json)] = [("id", .string(order.terms.customer ?? "anonymous-\(reference)"))]
        for field in order.details.payer { customer.append((field.name.sdk, field.value)) }
        let screen = order.details.errorDebugScreen.map(Json.bool)
        let names = settings.sdkCustomerName.map { [$0] } ?? DolyameSettings.SdkCustomerName.allCases
        let payer = names.map { ($0.rawValue, Json.object(JsonObject(customer)) as Json?) }
        let members: [(String, Json?)] = [
            (
                "partner",
                .compact([
                    ("id", settings.partnerId.map(Json.string)),
                    (
                        "notificationUrl",
                        settings.notificationUrlPerOrder ? .string(order.account.notificationUrl) : nil
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
            ), ("enableCallKitUsage", .bool(order.details.callKit)), ("errorDebugScreen", screen),
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
