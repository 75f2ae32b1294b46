import Kernel
import Payments
import ProviderKit

/// Requests about a payment that the provider has: how it stands, capture, cancel, refund.
enum FollowUp {
    /// The surest question that can be asked: the payment, else its page, else whether the provider is there at all.
    ///
    /// The provider can't be asked by our reference. Where it gave no id, an answered connection test lets a lost opening
    /// be repeated under its key.
    static func query(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        if let id = payment(dispatch, order) {
            return Call.template("GET", "/payments/\(try segment(id))/details", order.settings)
        }
        if let id = dispatch.order?.id {
            return Call.template("GET", "/hostedcheckouts/\(try segment(id))", order.settings)
        }
        return Call.template("GET", "/services/testconnection", order.settings)
    }

    static func capture(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        let amount = try amount(dispatch)
        if !dispatch.isFull, amount.currency.exponent != 2, !order.settings.oddExponentPartialCapture {
            throw PlanFailure.partNotSupported("the unit of a part is unproved for \(amount.currency.code)")
        }
        // Without an amount everything is captured, in whatever unit the provider counts.
        let isOpenUnit = amount.currency.exponent != 2 && dispatch.isFull
        let body: Json = .compact([
            ("amount", isOpenUnit ? nil : .integer(amount.minor)), ("isFinal", .bool(dispatch.isFull)),
            ("operationReferences", references(dispatch, order)),
        ])
        return try post("capture", body, dispatch, order)
    }

    static func void(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        guard dispatch.isFull || order.settings.partialVoid else {
            throw PlanFailure.partNotSupported("the account gives holds back as a whole")
        }
        let part = try amount(dispatch)
        let body: Json = .compact([
            ("amountOfMoney", Order.money(part)), ("isFinal", .bool(dispatch.isFull)),
            ("operationReferences", references(dispatch, order)),
        ])
        return try post("cancel", body, dispatch, order)
    }

    static func refund(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        let amount = try amount(dispatch)
        let reason = dispatch.reason.map { Json.string(String($0.prefix(Limits.reasonCharacters))) }
        let body: Json = .compact([
            ("amountOfMoney", Order.money(amount)), ("operationReferences", references(dispatch, order)),
            ("reason", reason),
        ])
        return try post("refund", body, dispatch, order)
    }

    private enum Limits {
        static let reasonCharacters = 100
    }

    private static func post(
        _ verb: String,
        _ body: Json,
        _ dispatch: PlannedDispatch,
        _ order: Order
    ) throws(PlanFailure) -> RequestTemplate {
        guard let id = payment(dispatch, order) else {
            throw PlanFailure.referenceMissing("the provider has named no payment yet")
        }
        return Call.template(
            "POST",
            "/payments/\(try segment(id))/\(verb)",
            order.settings,
            body: body,
            key: try OpeningRequest.key(dispatch)
        )
    }

    /// The provider's id of the payment: the one it gave when we opened it, else that of the try that lives.
    private static func payment(_ dispatch: PlannedDispatch, _ order: Order) -> String? {
        switch order.terms.method {
        case .hosted: dispatch.initialAtProvider
        case .sdk, .instrument, .wallet: dispatch.order?.id ?? dispatch.initialAtProvider
        }
    }

    private static func amount(_ dispatch: PlannedDispatch) throws(PlanFailure) -> Money {
        guard let amount = dispatch.amount else { throw PlanFailure.amountMissing() }
        return amount
    }

    private static func references(_ dispatch: PlannedDispatch, _ order: Order) -> Json? {
        guard order.settings.operationReferences, let own = dispatch.operationReference else { return nil }
        return ["merchantReference": .string(own)]
    }

    private static func segment(_ id: String) throws(PlanFailure) -> String {
        guard PathSegment.isSafe(id) else {
            throw PlanFailure(code: "reference_malformed", detail: "the provider's id does not go into an address")
        }
        return id
    }
}
