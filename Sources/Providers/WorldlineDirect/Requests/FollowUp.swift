import Kernel
import Payments
import ProviderKit

/// Requests about a payment that the provider has: how it stands, capture, cancel, refund.
enum FollowUp {
    /// The surest question that can be asked: the payment, else its page, else whether the provider is there at all.
    ///
    /// The provider can't be asked by our reference. Where it gave no id, an answered connection test lets a lost opening
    /// be repeated under its key.
    static func query(_ dispatch: PlannedDispatch, _ purchase: Purchase) throws(PlanFailure) -> RequestTemplate {
        if let id = payment(dispatch, purchase) {
            return Call.template("GET", "/payments/\(try segment(id))/details", purchase.settings)
        }
        if let id = dispatch.order?.id {
            return Call.template("GET", "/hostedcheckouts/\(try segment(id))", purchase.settings)
        }
        return Call.template("GET", "/services/testconnection", purchase.settings)
    }

    static func capture(_ dispatch: PlannedDispatch, _ purchase: Purchase) throws(PlanFailure) -> RequestTemplate {
        let amount = try amount(dispatch)
        if !dispatch.isFull, amount.currency.exponent != 2, !purchase.settings.oddExponentPartialCapture {
            throw PlanFailure(
                code: "partial_not_supported",
                path: "amount",
                detail: "the unit of a part is unproved for \(amount.currency.code)"
            )
        }
        // Without an amount everything is captured, in whatever unit the provider counts.
        let isOpenUnit = amount.currency.exponent != 2 && dispatch.isFull
        let body: Json = .compact([
            ("amount", isOpenUnit ? nil : .integer(amount.minor)), ("isFinal", .bool(dispatch.isFull)),
            ("operationReferences", references(dispatch, purchase)),
        ])
        return try post("capture", body, dispatch, purchase)
    }

    static func cancel(_ dispatch: PlannedDispatch, _ purchase: Purchase) throws(PlanFailure) -> RequestTemplate {
        guard dispatch.isFull || purchase.settings.partialVoid else {
            throw PlanFailure(
                code: "partial_not_supported",
                path: "amount",
                detail: "the account gives holds back as a whole"
            )
        }
        let part = try amount(dispatch)
        let body: Json = .compact([
            ("amountOfMoney", Purchase.money(part)), ("isFinal", .bool(dispatch.isFull)),
            ("operationReferences", references(dispatch, purchase)),
        ])
        return try post("cancel", body, dispatch, purchase)
    }

    static func refund(_ dispatch: PlannedDispatch, _ purchase: Purchase) throws(PlanFailure) -> RequestTemplate {
        let amount = try amount(dispatch)
        let reason = dispatch.reason.map { Json.string(String($0.prefix(Limits.reasonCharacters))) }
        let body: Json = .compact([
            ("amountOfMoney", Purchase.money(amount)), ("operationReferences", references(dispatch, purchase)),
            ("reason", reason),
        ])
        return try post("refund", body, dispatch, purchase)
    }

    private enum Limits {
        static let reasonCharacters = 100
    }

    private static func post(
        _ verb: String,
        _ body: Json,
        _ dispatch: PlannedDispatch,
        _ purchase: Purchase
    ) throws(PlanFailure) -> RequestTemplate {
        guard let id = payment(dispatch, purchase) else {
            throw PlanFailure(code: "reference_missing", detail: "the provider has named no payment yet")
        }
        return Call.template(
            "POST",
            "/payments/\(try segment(id))/\(verb)",
            purchase.settings,
            body: body,
            key: try OpeningRequest.key(dispatch)
        )
    }

    /// The provider's id of the payment: the one it gave when we opened it, else that of the try that lives.
    private static func payment(_ dispatch: PlannedDispatch, _ purchase: Purchase) -> String? {
        switch purchase.terms.method {
        case .hosted: dispatch.initialAtProvider
        case .sdk, .instrument, .wallet: dispatch.order?.id ?? dispatch.initialAtProvider
        }
    }

    private static func amount(_ dispatch: PlannedDispatch) throws(PlanFailure) -> Money {
        guard let amount = dispatch.amount else {
            throw PlanFailure(code: "amount_missing", path: "amount", detail: "the operation needs one")
        }
        return amount
    }

    private static func references(_ dispatch: PlannedDispatch, _ purchase: Purchase) -> Json? {
        guard purchase.settings.operationReferences, let own = dispatch.operationReference else { return nil }
        return ["merchantReference": .string(own)]
    }

    private static func segment(_ id: String) throws(PlanFailure) -> String {
        guard PathSegment.isSafe(id) else {
            throw PlanFailure(code: "reference_malformed", detail: "the provider's id does not go into an address")
        }
        return id
    }
}
