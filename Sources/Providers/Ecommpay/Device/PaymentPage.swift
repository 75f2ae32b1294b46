package import Kernel
import Payments
import ProviderKit

/// Parameters and signed address of Payment Page, where the payer enters everything that we must not see.
package enum PaymentPage {
    /// Makes the unsigned parameters of one payment.
    static func parameters(_ dispatch: PlannedDispatch, _ order: Order) -> Json {
        let settings = order.settings
        let details = order.details
        var members: [(String, Json)] = [
            ("project_id", .integer(settings.projectId)), ("payment_id", .string(dispatch.paymentReference)),
        ]
        if let amount = order.amount {
            members.append(("payment_amount", .integer(amount.minor)))
            members.append(("payment_currency", .string(amount.currency.code)))
        }
        func add(_ name: String, _ text: String?) {
            if let text { members.append((name, .string(text))) }
        }
        add("customer_id", order.terms.customer)
        add("payment_description", order.terms.description)
        switch order.terms.mode {
        case .sale, .transfer: add(settings.operationTypeName.rawValue, "sale")
        case .authorize: add(settings.operationTypeName.rawValue, "auth")
        case .verify: add("mode", "card_verify")
        case .tokenize: add("mode", settings.tokenizeMode)
        }
        add("best_before", deadline(dispatch.deadline))
        if let token = order.token { members.append(("account_token", token)) }
        add("force_payment_method", details.presentation.forcePaymentMethod)
        add("force_payment_group", details.presentation.forcePaymentGroup)
        if settings.callbackUrlPerPayment { add("merchant_callback_url", callbackUrl(dispatch, order)) }
        members += returnMembers(dispatch, order)
        if let recurring = order.terms.recurring {
            add("recurring", Registration.page(recurring, of: dispatch.paymentReference).canonicalText)
        }
        add("language_code", details.language)
        add("region_code", details.region)
        add("interface_type", settings.interfaceType.map { "{\"id\":\($0)}" })
        for field in details.payer + details.additional { members.append((field.name, field.value)) }
        add("receipt_data", details.receipt?.encoded)
        return .object(JsonObject(members))
    }

    /// Where callbacks of the payment go; a token callback names no payment, so its address does.
    private static func callbackUrl(_ dispatch: PlannedDispatch, _ order: Order) -> String {
        let url = order.account.notificationUrl
        guard order.terms.mode == .tokenize else { return url }
        let separator = url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return url + separator + NotificationAuthentication.paymentQueryName + "=" + dispatch.paymentReference
    }

    /// Where the payer may go from the last page.
    private static func returnMembers(_ dispatch: PlannedDispatch, _ order: Order) -> [(String, Json)] {
        let ways: [WayBack]
        switch order.settings.returnMode {
        case .none: return []
        case .buttons: ways = WayBack.buttons
        case .redirect: ways = order.terms.mode == .tokenize ? WayBack.redirects : Array(WayBack.redirects.prefix(3))
        }
        let addresses = order.details.addresses
        let fallback = Json.string(order.account.returnUrl + "/" + dispatch.paymentReference)
        let given = [addresses.success, addresses.fail, addresses.back, addresses.success]
        var members: [(String, Json)] = []
        members.reserveCapacity(3 * ways.count)
        for (way, address) in zip(ways, given) {
            members.append((way.url, address.map(Json.string) ?? fallback))
            members.append((way.enabled, 1))
            members.append((way.mode, "parent_page"))
        }
        return members
    }

    /// The names of the three members that offer one way from the last page.
    private struct WayBack {
        let url: String
        let enabled: String
        let mode: String

        private init(_ name: String, mode: String) {
            url = "\(name)_url"
            enabled = "\(name)_enabled"
            self.mode = "\(name)_\(mode)"
        }

        static let buttons = ["success", "fail", "return"].map { WayBack("merchant_\($0)", mode: "redirect_mode") }
        /// The last one is for a card that is saved alone.
        static let redirects = ["success", "fail", "return", "tokenize"].map { WayBack("redirect_\($0)", mode: "mode") }
    }

    /// The provider's form of a deadline: whole seconds with a numeric offset.
    static func deadline(_ time: Timestamp) -> String { String(time.wholeSeconds.dropLast()) + "+00:00" }

    /// Signs parameters and makes the address; `nil` where a value is a list or an object.
    ///
    /// The query holds exactly what was signed: numbers as digits, flags as 1 and 0, and a `null` in neither.
    package static func address(_ base: String, _ parameters: Json, key: Secret) -> (signature: String, url: String)? {
        guard let members = parameters.members else { return nil }
        var pairs: [(name: String, value: String)] = []
        pairs.reserveCapacity(members.count + 1)
        let given = members.members.filter { !$0.value.isNull }
        for member in given {
            switch member.value {
            case .string(let text): pairs.append((member.name, text))
            case .number(let number): pairs.append((member.name, number.text))
            case .bool(let flag): pairs.append((member.name, flag ? "1" : "0"))
            case .null, .array, .object: return nil
            }
        }
        let signed = given.count == members.count ? parameters : .object(JsonObject(given.map { ($0.name, $0.value) }))
        let signature = Signature.sign(signed, key: key)
        pairs.append(("signature", signature))
        return (signature, base + "?" + FormEncoding.encode(pairs))
    }
}
