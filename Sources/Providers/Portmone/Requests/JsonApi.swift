package import Kernel
import Payments
import ProviderKit

/// Calls of the JSON interface beside the gateway: a wallet's token that we pass on, and transfers by page.
package enum JsonApi {
    static func wallet(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        guard let wallet = order.details.wallet, let amount = dispatch.amount else {
            throw PlanFailure(code: "value_missing", path: "details.wallet", detail: "the wallet's token is needed")
        }
        let method: String
        let token: [(String, Json)]
        switch wallet.kind {
        case .applePay:
            method = "APay"
            token = [
                ("aPayMerchantName", .string(order.settings.applePayMerchantId ?? "")), ("paymentData", wallet.token),
            ]
        case .googlePay:
            method = "GPay"
            token = [("gPayToken", wallet.token)]
        }
        let data: [(String, Json)] =
            token + [
                ("billAmount", .string(amount.decimal)), ("shopOrderNumber", .string(dispatch.paymentReference)),
                ("billCurrency", .string(amount.currency.code)), ("login", .string(order.settings.login)),
                ("password", ""), ("payeeId", .string(order.settings.payeeId)),
            ]
        return call(method, data, order)
    }

    /// A page that moves money from the payer's card to one that the provider keeps.
    static func transfer(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        guard let recipient = order.details.transfer?.recipientBillId, let amount = dispatch.amount else {
            throw PlanFailure(code: "value_missing", path: "details.transfer.recipientBillId", detail: "no recipient")
        }
        let back = "\(order.account.returnUrl)/\(dispatch.paymentReference)"
        let data: [(String, Json)] = [
            ("login", .string(order.settings.login)), ("password", ""), ("shopBillId", .string(recipient)),
            ("billAmount", .string(amount.decimal)), ("shopOrderNumber", .string(dispatch.paymentReference)),
            ("purpose", .string(order.terms.description ?? "")),
            ("successUrl", .string(order.details.successUrl ?? back)),
        ]
        return call("getLinkMoneyTransfer", data, order)
    }

    /// Completes 3-D Secure of a wallet payment with what the payer's bank gave; what it gave stands in memory alone.
    static func confirmation(
        _ answer: Json,
        _ dispatch: PlannedDispatch,
        _ order: Order
    ) throws(PlanFailure) -> RequestTemplate {
        guard let opened = dispatch.order?.handover, let md = opened["md"], let bill = opened["shopBillId"] else {
            throw PlanFailure.operationNotSupported("no bank was asked")
        }
        return RequestTemplate(
            method: "POST",
            url: order.settings.jsonApiUrl,
            content: ["body": confirmation(md: md, paRes: answer, bill: bill)],
            signing: Signing.plain.rawValue
        )
    }

    package static func confirmation(md: Json, paRes: Json, bill: Json) -> Json {
        [
            "method": "confirmMpi", "id": "1",
            "params": ["data": ["MD": md, "PaRes": paRes, "shopBillId": bill]],
        ]
    }

    private static func call(_ method: String, _ data: [(String, Json)], _ order: Order) -> RequestTemplate {
        RequestTemplate(
            method: "POST",
            url: order.settings.jsonApiUrl,
            content: [
                "body": [
                    "method": .string(method), "id": "1", "params": ["data": .object(JsonObject(data))],
                ]
            ],
            signing: Signing.call.rawValue
        )
    }
}
