import Kernel
import Payments
import ProviderKit

/// Calls after creation, in the spelling that the account asks for; all name the order by our number.
enum FollowUp {
    static func query(_ dispatch: PlannedDispatch, _ order: Order) -> RequestTemplate {
        let lookback = order.settings.times.lookback.components.seconds
        switch order.settings.spelling {
        case .json: return call("result", dispatch, order, [], lookback: lookback)
        case .xml: return form([("method", "result")], dispatch, order, [], lookback: lookback)
        }
    }

    /// Takes a hold, whole or in part; what is left is given back by the provider.
    static func capture(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        let amount = try amount(dispatch)
        var split: [(String, Json)] = []
        if !order.details.split.isEmpty {
            guard dispatch.isFull else {
                throw PlanFailure.partNotSupported("a split payment is captured as a whole")
            }
            split = [("distribution", .string(SplitPart.text(order.details.split)))]
        }
        switch order.settings.spelling {
        case .json: return call("confirmPreauth", dispatch, order, [("postauthAmount", amount)] + split)
        case .xml:
            return form(
                [("method", "preauth"), ("action", "set_paid")],
                dispatch,
                order,
                [("postauth_amount", amount)] + split
            )
        }
    }

    static func void(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        guard dispatch.isFull else { throw PlanFailure.partNotSupported("a hold is given back as a whole") }
        switch order.settings.spelling {
        case .json: return call("rejectPreauth", dispatch, order, [])
        case .xml: return form([("method", "preauth"), ("action", "reject")], dispatch, order, [])
        }
    }

    /// Gives captured money back.
    ///
    /// The provider's own plugins refuse parts of a split payment and other currencies than
    /// hryvnia: both need its staff.
    static func refund(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        let amount = try amount(dispatch)
        guard dispatch.amount?.currency == Amounts.hryvnia else {
            throw PlanFailure.currencyNotSupported("the provider's staff refunds other currencies than UAH")
        }
        guard order.terms.mode != .transfer else { throw PlanFailure.operationNotSupported("a transfer is final") }
        var split: [(String, Json)] = []
        if !order.details.split.isEmpty {
            guard dispatch.isFull else {
                throw PlanFailure.partNotSupported("a split payment is refunded as a whole")
            }
            split = [("attribute5", .string(SplitPart.text(order.details.split)))]
        }
        switch order.settings.spelling {
        case .json:
            let message = Json.string(dispatch.reason ?? "Refund")
            return call("return", dispatch, order, [("returnAmount", amount), ("message", message)] + split)
        case .xml: return form([("method", "return")], dispatch, order, [("return_amount", amount)] + split)
        }
    }

    private static func amount(_ dispatch: PlannedDispatch) throws(PlanFailure) -> Json {
        guard let amount = dispatch.amount, amount.minor > 0 else { throw PlanFailure.amountMissing() }
        return .string(amount.decimal)
    }

    private static func call(
        _ method: String,
        _ dispatch: PlannedDispatch,
        _ order: Order,
        _ further: [(String, Json)],
        lookback: Int64? = nil
    ) -> RequestTemplate {
        let billId = dispatch.order.flatMap { $0.handover["shopBillId"]?.text }
        let known: [(String, Json?)] = [
            ("login", .string(order.settings.login)), ("password", ""), ("payeeId", .string(order.settings.payeeId)),
            ("shopOrderNumber", .string(dispatch.paymentReference)), ("shopbillId", billId.map(Json.string)),
        ]
        return RequestTemplate(
            method: "POST",
            url: order.settings.gatewayUrl,
            content: content(
                [
                    "method": .string(method), "id": "1",
                    "params": ["data": .compact(known + further.map { ($0.0, $0.1) })],
                ],
                order,
                lookback
            ),
            signing: Signing.call.rawValue
        )
    }

    private static func form(
        _ method: [(String, Json)],
        _ dispatch: PlannedDispatch,
        _ order: Order,
        _ further: [(String, Json)],
        lookback: Int64? = nil
    ) -> RequestTemplate {
        let billId = dispatch.order.flatMap { $0.handover["shopBillId"]?.text }
        let number: (String, Json) =
            billId.map { ("shop_bill_id", .string($0)) } ?? ("shop_order_number", .string(dispatch.paymentReference))
        let known: [(String, Json)] = [
            ("payee_id", .string(order.settings.payeeId)), ("login", .string(order.settings.login)),
            ("lang", .string(order.settings.legacyLanguage)), number,
        ]
        return RequestTemplate(
            method: "POST",
            url: order.settings.gatewayUrl,
            content: content(.object(JsonObject(method + known + further)), order, lookback),
            signing: Signing.form.rawValue
        )
    }

    private static func content(_ body: Json, _ order: Order, _ lookback: Int64?) -> Json {
        .compact([
            ("body", body), ("lookbackSeconds", lookback.map(Json.integer)),
            ("zone", lookback == nil ? nil : .string(order.settings.timeZone.text)),
        ])
    }
}
