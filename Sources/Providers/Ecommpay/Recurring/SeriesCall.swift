import Kernel
import Payments
import ProviderKit

/// Requests about a series that a payment registered.
enum SeriesCall {
    /// A debit of a series that we begin, under its own payment id.
    static func debit(
        _ series: Int64,
        _ amount: Money,
        _ customer: [(String, Json)],
        under paymentId: String,
        _ account: AccountSettings,
        _ settings: EcommpaySettings
    ) -> RequestTemplate {
        request(
            "/v2/payment/card/recurring",
            under: paymentId,
            [
                ("payment", ["amount": .integer(amount.minor), "currency": .string(amount.currency.code)]),
                ("customer", .object(JsonObject(customer))), ("recurring", ["id": .integer(series)]),
            ],
            account,
            settings
        )
    }

    /// Changes the debits that the platform makes by itself.
    static func update(
        _ series: Int64,
        _ terms: RecurringTerms,
        under paymentId: String,
        _ account: AccountSettings,
        _ settings: EcommpaySettings
    ) -> RequestTemplate {
        var changed = Registration.page(terms, of: paymentId).members ?? JsonObject([])
        for name in ["register", "type", "scheduled_payment_id"] { changed[name] = nil }
        changed["id"] = .integer(series)
        let path = settings.seriesUpdatePath
        return request(path, under: paymentId, [("recurring", .object(changed))], account, settings)
    }

    static func cancel(
        _ series: Int64,
        under paymentId: String,
        _ account: AccountSettings,
        _ settings: EcommpaySettings
    ) -> RequestTemplate {
        let members: [(String, Json)] = [("recurring", ["id": .integer(series)])]
        return request("/v2/payment/card/recurring/cancel", under: paymentId, members, account, settings)
    }

    private static func request(
        _ path: String,
        under paymentId: String,
        _ members: [(String, Json)],
        _ account: AccountSettings,
        _ settings: EcommpaySettings
    ) -> RequestTemplate {
        var general: [(String, Json)] = [
            ("project_id", .integer(settings.projectId)), ("payment_id", .string(paymentId)),
        ]
        if settings.callbackUrlPerPayment {
            general.append(("merchant_callback_url", .string(account.notificationUrl)))
        }
        let interface = settings.interfaceType.map { [("interface_type", ["id": .integer($0)] as Json)] } ?? []
        return RequestTemplate(
            method: "POST",
            url: settings.gateUrl + path,
            content: .object(JsonObject([("general", .object(JsonObject(general)))] + members + interface)),
            signing: Signing.gate.text
        )
    }
}
