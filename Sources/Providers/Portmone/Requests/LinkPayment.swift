package import Kernel
import Payments
import ProviderKit

/// `createLinkPayment`: the provider makes a page for one order.
package enum LinkPayment {
    static func plan(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        guard let asked = order.asked else { throw PlanFailure.amountMissing("a page needs one") }
        if order.terms.method == .instrument, order.token == nil {
            throw PlanFailure.instrumentMissing("there is no saved token")
        }
        let settings = order.settings
        let body = Json.compact([
            ("method", "createLinkPayment"),
            (
                "payee",
                [
                    "payeeId": .string(settings.payeeId), "login": .string(settings.login), "dt": "", "signature": "",
                    "shopSiteId": .string(settings.shopSiteId),
                ]
            ),
            ("order", self.order(dispatch, order, asked)),
            ("token", token(order)),
            ("payer", payer(order)),
            ("paymentTypes", types(order)),
            ("priorityPaymentTypes", priorities(order)),
        ])
        return RequestTemplate(
            method: "POST",
            url: settings.gatewayUrl,
            content: [
                "body": body,
                "deadline": .string(dispatch.deadline.wholeSeconds),
                "expTimeUnit": .string(settings.expiryUnit.rawValue),
                "zone": .string(settings.timeZone.text),
            ],
            signing: Signing.link.rawValue
        )
    }

    private static func order(_ dispatch: PlannedDispatch, _ order: Order, _ asked: Money) -> Json {
        let back = "\(order.account.returnUrl)/\(dispatch.paymentReference)"
        let attributes = order.attributes
        return [
            "description": .string(order.terms.description ?? ""),
            "shopOrderNumber": .string(dispatch.paymentReference),
            "billAmount": .string(asked.decimal),
            "attribute1": .string(attributes[0]), "attribute2": .string(attributes[1]),
            "attribute3": .string(attributes[2]), "attribute4": .string(attributes[3]),
            "attribute5": .string(SplitPart.text(order.details.split)),
            "successUrl": .string(order.details.successUrl ?? back),
            "failureUrl": .string(order.details.failureUrl ?? back),
            "preauthFlag": flag(order.terms.mode == .authorize),
            "billCurrency": .string(asked.currency.code),
            "expTime": "",
            "encoding": "UTF-8",
        ]
    }

    private static func token(_ order: Order) -> Json {
        let isSaved = order.terms.method == .instrument
        let offersOthers = order.details.presentation.otherPaymentMethods ?? !isSaved
        return .compact([
            ("tokenFlag", flag(isSaved)),
            ("returnToken", flag(order.details.savesCard || order.terms.mode == .tokenize)),
            ("token", isSaved ? order.token ?? "" : ""),
            ("cardMask", .string(isSaved ? order.mask ?? "" : "")),
            ("otherPaymentMethods", flag(offersOthers)),
            ("sellerToken", order.details.transfer?.sellerToken),
        ])
    }

    private static func payer(_ order: Order) -> Json {
        .compact([
            ("lang", .string(order.details.language ?? "uk")),
            ("emailAddress", order.details.email ?? ""),
            ("showEmail", flag(order.details.presentation.showEmail ?? true)),
        ])
    }

    private static func types(_ order: Order) -> Json? {
        var types = order.details.presentation.paymentTypes
        if order.terms.mode == .tokenize { types["createtokenonly"] = true }
        if order.terms.method == .instrument { types["token"] = true }
        guard !types.isEmpty else { return nil }
        return .compact(PageMethods.names.map { name in (name, types[name].map { flag($0) }) })
    }

    private static func priorities(_ order: Order) -> Json? {
        let priorities = order.details.presentation.priorityPaymentTypes
        guard !priorities.isEmpty else { return nil }
        return .compact(PageMethods.names.map { name in (name, priorities[name].map { .string(String($0)) }) })
    }

    static func flag(_ value: Bool) -> Json { value ? "Y" : "N" }

    /// The same order as fields of the form that the gateway also takes.
    package static func formPairs(_ body: Json) -> [(name: String, value: String)] {
        let names: [(String, String, String)] = [
            ("payee", "payeeId", "payee_id"), ("payee", "dt", "dt"), ("payee", "signature", "signature"),
            ("order", "shopOrderNumber", "shop_order_number"), ("order", "billAmount", "bill_amount"),
            ("order", "billCurrency", "bill_currency"), ("order", "description", "description"),
            ("order", "successUrl", "success_url"), ("order", "failureUrl", "failure_url"),
            ("payer", "lang", "lang"), ("order", "encoding", "encoding"), ("order", "expTime", "exp_time"),
            ("order", "preauthFlag", "preauth_flag"), ("order", "attribute1", "attribute1"),
            ("order", "attribute2", "attribute2"), ("order", "attribute3", "attribute3"),
            ("order", "attribute4", "attribute4"), ("order", "attribute5", "attribute5"),
        ]
        return names.compactMap { group, name, wire in body[group]?[name]?.text.map { (wire, $0) } }
    }
}
