import Kernel
import Payments
import ProviderKit

/// Requests of Gate, the server's interface: JSON bodies that carry their signature in `general`.
enum Gate {
    /// Asks for a payment and all its operations.
    static func status(_ dispatch: PlannedDispatch, _ order: Order) -> RequestTemplate {
        template("/v2/payment/status", [("general", general(dispatch, order, callback: false))], order)
    }

    static func capture(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        let segment = try segment(dispatch, order)
        return template("/v2/payment/\(segment)/capture", try members(dispatch, order, payment: []), order)
    }

    /// Gives a hold back: whole without an amount (unless the account says otherwise), in part with the part's amount.
    static func cancel(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        let path = "/v2/payment/\(try segment(dispatch, order))/cancel"
        guard dispatch.isFull else {
            guard order.settings.partialVoid else {
                throw PlanFailure(
                    code: "partial_not_supported",
                    path: "amount",
                    detail: "the account gives holds back as a whole"
                )
            }
            return template(path, try members(dispatch, order, payment: []), order)
        }
        switch order.settings.voidAmount {
        case .omit: return template(path, [("general", general(dispatch, order, callback: true))] + tail(order), order)
        case .send: return template(path, try members(dispatch, order, payment: []), order)
        }
    }

    /// Gives captured money back under our own refund id, so that a repetition is recognised.
    static func refund(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        guard let reference = dispatch.operationReference else {
            throw PlanFailure(code: "reference_missing", detail: "a refund is sent under its own reference")
        }
        let path: String
        switch order.settings.refundPath {
        case .method: path = "/v2/payment/\(try segment(dispatch, order))/refund"
        case .neutral: path = "/v2/payment/refund"
        }
        let payment: [(String, Json)] = [
            ("description", .string(dispatch.reason ?? "Refund")), ("merchant_refund_id", .string(reference)),
        ]
        return template(path, try members(dispatch, order, payment: payment), order)
    }

    /// Starts a payment with a saved token and without the payer; only where the account names the address.
    static func byToken(
        _ kind: OperationKind,
        _ dispatch: PlannedDispatch,
        _ order: Order
    ) throws(PlanFailure) -> RequestTemplate {
        guard let path = order.settings.gateToken.path(kind) else {
            throw PlanFailure(
                code: "method_not_supported",
                path: "method",
                detail: "the account has no Gate address for \(kind.rawValue) by token"
            )
        }
        guard let token = order.token else {
            throw PlanFailure(code: "instrument_missing", path: "instrument", detail: "there is no saved token")
        }
        var customer: [(String, Json)] = [("id", .string(order.terms.customer ?? ""))]
        if let address = order.details.ipAddress { customer.append(("ip_address", address)) }
        for field in order.details.payer where field.name.hasPrefix("customer_") {
            customer.append((String(field.name.dropFirst("customer_".count)), field.value))
        }
        let payment = order.terms.description.map { [("description", Json.string($0))] } ?? []
        let body = try members(dispatch, order, payment: payment)
        return template(path, body + [("customer", .object(JsonObject(customer))), ("token", token)], order)
    }

    /// Debits the series that the payment's schedule registered.
    static func debit(_ series: Int64, _ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure)
        -> RequestTemplate
    {
        var customer: [(String, Json)] = [("id", .string(order.terms.customer ?? ""))]
        if let address = order.details.ipAddress { customer.append(("ip_address", address)) }
        let payment = order.terms.description.map { [("description", Json.string($0))] } ?? []
        let more: [(String, Json)] = [
            ("customer", .object(JsonObject(customer))), ("recurring", ["id": .integer(series)]),
        ]
        return template("/v2/payment/card/recurring", try members(dispatch, order, payment: payment) + more, order)
    }

    /// `general`, `payment` and what follows every request that asks for money to move.
    private static func members(
        _ dispatch: PlannedDispatch,
        _ order: Order,
        payment further: [(String, Json)]
    ) throws(PlanFailure) -> [(String, Json)] {
        guard let amount = dispatch.amount else {
            throw PlanFailure(code: "amount_missing", path: "amount", detail: "the operation needs one")
        }
        let payment: [(String, Json)] = [
            ("amount", .integer(amount.minor)), ("currency", .string(amount.currency.code)),
        ]
        return [
            ("general", general(dispatch, order, callback: true)), ("payment", .object(JsonObject(payment + further))),
        ] + tail(order)
    }

    private static func general(_ dispatch: PlannedDispatch, _ order: Order, callback: Bool) -> Json {
        var members: [(String, Json)] = [
            ("project_id", .integer(order.settings.projectId)), ("payment_id", .string(dispatch.paymentReference)),
        ]
        if callback, order.settings.callbackUrlPerPayment {
            members.append(("merchant_callback_url", .string(order.account.notificationUrl)))
        }
        return .object(JsonObject(members))
    }

    private static func tail(_ order: Order) -> [(String, Json)] {
        order.settings.interfaceType.map { [("interface_type", ["id": .integer($0)])] } ?? []
    }

    private static func template(_ path: String, _ members: [(String, Json)], _ order: Order) -> RequestTemplate {
        RequestTemplate(
            method: "POST",
            url: order.settings.gateUrl + path,
            content: .object(JsonObject(members)),
            signing: Signing.gate.text
        )
    }

    /// The address' part for the payment's method.
    private static func segment(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> String {
        guard let word = dispatch.methodAtProvider else { return MethodSegments.assumed }
        guard let segment = order.settings.methodSegments[Words.normalized(word)] else {
            throw PlanFailure(
                code: "method_not_supported",
                path: "method",
                detail: "no Gate address is known for the method \(word.prefix(64))"
            )
        }
        return segment
    }
}
