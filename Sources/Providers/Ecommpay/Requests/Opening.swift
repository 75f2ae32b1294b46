import Kernel
import Payments
import ProviderKit

/// The requests that begin a payment without its payer; everybody else comes by a page or an SDK.
enum OpeningRequest {
    static func template(_ kind: OperationKind, _ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure)
        -> RequestTemplate
    {
        try order.check()
        if let series = order.debited(kind) { return try debit(series, dispatch, order) }
        return try byToken(kind, dispatch, order)
    }

    /// Starts a payment with a saved token and without the payer; only where the account names the address.
    private static func byToken(
        _ kind: OperationKind,
        _ dispatch: PlannedDispatch,
        _ order: Order
    ) throws(PlanFailure) -> RequestTemplate {
        guard let path = order.settings.gateToken.path(kind) else {
            throw PlanFailure.methodNotSupported("the account has no Gate address for \(kind.rawValue) by token")
        }
        guard let token = order.token else { throw PlanFailure.instrumentMissing("there is no saved token") }
        var customer: [(String, Json)] = [("id", .string(order.terms.customer ?? ""))]
        if let address = order.details.ipAddress { customer.append(("ip_address", address)) }
        for field in order.details.payer where field.name.hasPrefix("customer_") {
            customer.append((String(field.name.dropFirst("customer_".count)), field.value))
        }
        let payment = order.terms.description.map { [("description", Json.string($0))] } ?? []
        let body = try Call.members(dispatch, order, payment: payment)
        return Call.template(path, body + [("customer", .object(JsonObject(customer))), ("token", token)], order)
    }

    /// Debits the series that the payment's schedule registered.
    private static func debit(_ series: Int64, _ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure)
        -> RequestTemplate
    {
        var customer: [(String, Json)] = [("id", .string(order.terms.customer ?? ""))]
        if let address = order.details.ipAddress { customer.append(("ip_address", address)) }
        let payment = order.terms.description.map { [("description", Json.string($0))] } ?? []
        let more: [(String, Json)] = [
            ("customer", .object(JsonObject(customer))), ("recurring", ["id": .integer(series)]),
        ]
        return Call.template(
            "/v2/payment/card/recurring",
            try Call.members(dispatch, order, payment: payment) + more,
            order
        )
    }
}
