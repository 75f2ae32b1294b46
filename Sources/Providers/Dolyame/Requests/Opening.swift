import Kernel
import Payments
import ProviderKit

/// The request that opens an order.
enum OpeningRequest {
    static func template(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        try order.check()
        let settings = order.settings
        let details = order.details
        let client =
            details.payer.isEmpty
            ? nil : Json.object(JsonObject(details.payer.map { ($0.name.wire, $0.value) }))
        let back = order.account.returnUrl + "/" + dispatch.paymentReference
        let body = Bodies.create(
            id: dispatch.paymentReference,
            try order.bill(),
            client: client,
            fiscal: settings.fiscalization ? Fiscal.enabled : nil,
            addresses: [
                ("notification_url", settings.notificationUrlPerOrder ? order.account.notificationUrl : nil),
                ("success_url", details.success ?? (settings.returnUrls ? back : nil)),
                ("fail_url", details.fail ?? (settings.returnUrls ? back : nil)),
            ],
            data: details.data,
            settings.money
        )
        return try Call.template(.create, dispatch, order, body)
    }
}
