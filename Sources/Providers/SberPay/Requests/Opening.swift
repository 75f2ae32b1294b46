import Kernel
import Payments
import ProviderKit

/// The calls that open an order, and the one that charges a binding at once.
enum OpeningRequest {
    static func template(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        try order.check()
        if order.terms.method == .instrument, order.binding == nil {
            throw PlanFailure.instrumentMissing("there is no saved binding")
        }
        if order.isUnattended { return Call.template(.recurrentPayment, recurrent(dispatch, order), order) }
        let call: GatewayCall = order.terms.mode == .authorize ? .registerPreAuth : .register
        return Call.template(call, members(dispatch, order), order)
    }

    private static func members(_ dispatch: PlannedDispatch, _ order: Order) -> [(String, Json?)] {
        let (settings, details) = (order.settings, order.details)
        let fallback = order.account.returnUrl + "/" + dispatch.paymentReference
        let json = jsonParams(order)
        return [
            ("orderNumber", .string(dispatch.paymentReference)),
            ("amount", .integer(order.isCheck ? 0 : order.terms.amount?.minor ?? 0)),
            ("currency", .string(settings.currencyNumeric)),
            ("returnUrl", .string(details.success ?? fallback)),
            ("failUrl", .string(details.fail ?? fallback)),
            ("description", order.terms.description.map(Json.string)),
            ("language", details.language.map(Json.string)),
            ("clientId", order.terms.customer.map(Json.string)),
            ("merchantLogin", settings.merchantLogin.map(Json.string)),
            ("pageView", settings.dialect == .legacy ? details.presentation.pageView.map(Json.string) : nil),
            ("expirationDate", .string(deadline(dispatch.deadline, settings))),
            ("bindingId", order.binding),
            ("features", features(order).map(Json.string)),
            ("phone", details.phone), ("email", details.email),
            ("dynamicCallbackUrl", settings.callback.isDynamic ? .string(order.account.notificationUrl) : nil),
            ("jsonParams", json.isEmpty ? nil : .object(json)),
        ]
    }

    private static func recurrent(_ dispatch: PlannedDispatch, _ order: Order) -> [(String, Json?)] {
        [
            ("orderNumber", .string(dispatch.paymentReference)), ("bindingId", order.binding),
            ("amount", .integer(order.terms.amount?.minor ?? 0)),
            ("currency", .string(order.settings.currencyNumeric)),
            ("description", order.terms.description.map(Json.string)),
        ]
    }

    /// The words of the account, of the payment, and what its mode needs.
    private static func features(_ order: Order) -> String? {
        var words: [String] = []
        for word in (order.isCheck ? ["VERIFY"] : []) + order.settings.features + order.details.features
        where !words.contains(word) {
            words.append(word)
        }
        return words.isEmpty ? nil : words.joined(separator: ";")
    }

    /// Members stay flat whatever dots their names hold; the older platform takes texts only.
    private static func jsonParams(_ order: Order) -> JsonObject {
        let (settings, app) = (order.settings, order.details.app)
        var members: [(String, Json)] = []
        func add(_ name: String, _ text: String?) {
            if let text { members.append((name, .string(text))) }
        }
        func flag(_ name: String, _ isOn: Bool) {
            if isOn { members.append((name, settings.dialect == .ecom ? true : "true")) }
        }
        flag("app2app", order.isApp)
        add(settings.osTypeName.rawValue, order.isApp ? app.osType : nil)
        add("app.deepLink", order.isApp ? app.deepLink : nil)
        flag("web2app", app.isWeb)
        flag("back2app", app.isPush)
        add("sberpay.backurl", app.backUrl)
        flag("sberpayHide", order.details.presentation.hideSberPay)
        if let recurrent = order.details.recurrent {
            add("recurringExpiry", recurrent.expiry)
            add("recurringFrequency", String(recurrent.frequencyDays))
        }
        var object = JsonObject(members)
        for member in settings.extraJsonParams.members { object[member.name] = member.value }
        return object
    }

    /// The provider's own clock without a zone, as in `2026-03-01T12:00:00`.
    static func deadline(_ deadline: Timestamp, _ settings: SberPaySettings) -> String {
        String(deadline.adding(.seconds(settings.zoneHours * 3600)).wholeSeconds.dropLast())
    }
}
